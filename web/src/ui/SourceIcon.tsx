import BookOpen from "lucide-react/icons/book-open";
import Code from "lucide-react/icons/code-xml";
import FileText from "lucide-react/icons/file-text";
import Folder from "lucide-react/icons/folder";
import Mail from "lucide-react/icons/mail";
import MessageSquare from "lucide-react/icons/message-square";
import Ticket from "lucide-react/icons/ticket";
import { type ComponentType, createElement } from "react";

type Icon = ComponentType<{ "aria-hidden": true; className?: string }>;

const BY_WORD: readonly (readonly [word: RegExp, icon: Icon])[] = [
  [/mail|outlook|gmail/, Mail],
  [/chat|slack|teams|message/, MessageSquare],
  [/wiki|confluence|notion|handbook/, BookOpen],
  [/code|git|repo/, Code],
  [/ticket|jira|issue|support/, Ticket],
  [/drive|share|file|box/, Folder],
];

export function iconOf(name: string, type: string): Icon {
  const words = `${name} ${type}`.toLowerCase();
  return BY_WORD.find(([word]) => word.test(words))?.[1] ?? FileText;
}

type Props = {
  readonly source: { readonly name: string; readonly type: string };
  readonly className?: string;
};

/** By the source's name first: a folder of files called `mail` holds mail. */
export function SourceIcon({ source, className }: Props) {
  return createElement(iconOf(source.name, source.type), {
    "aria-hidden": true,
    ...(className === undefined ? {} : { className }),
  });
}
