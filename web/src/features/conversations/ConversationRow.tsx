import Download from "lucide-react/icons/download";
import Ellipsis from "lucide-react/icons/ellipsis";
import Pencil from "lucide-react/icons/pencil";
import Share from "lucide-react/icons/share-2";
import Trash from "lucide-react/icons/trash-2";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, useMatch, useNavigate } from "react-router";
import { useApi } from "../../api/ApiContext";
import { plainTitle } from "../../text/plain";
import { Menu } from "../../ui/Menu";
import { useChat } from "../chat/ChatProvider";
import styles from "./Conversations.module.css";
import { exportAddress, rename } from "./api";
import type { Conversation } from "./model";

const ShareDialog = lazy(() => import("./ShareDialog").then((own) => ({ default: own.ShareDialog })));
const DeleteDialog = lazy(() => import("./DeleteDialog").then((own) => ({ default: own.DeleteDialog })));

type Doing = "nothing" | "renaming" | "sharing" | "deleting";

export function ConversationRow({ conversation }: { readonly conversation: Conversation }) {
  const { t } = useTranslation();
  const [doing, setDoing] = useState<Doing>("nothing");
  const { store } = useChat();
  const navigate = useNavigate();
  const id = conversation.conversation_id;
  const here = useMatch(`/chat/${id}`);
  const title = plainTitle(conversation.title, t("document.untitled"));
  const done = () => setDoing("nothing");
  const items = [
    {
      id: "rename",
      text: t("conversations.rename"),
      icon: <Pencil aria-hidden />,
      onAction: () => setDoing("renaming"),
    },
    {
      id: "share",
      text: t("conversations.share"),
      icon: <Share aria-hidden />,
      onAction: () => setDoing("sharing"),
    },
    {
      id: "export",
      text: t("conversations.export"),
      icon: <Download aria-hidden />,
      onAction: () => location.assign(exportAddress(id)),
    },
    {
      id: "delete",
      text: t("conversations.delete"),
      icon: <Trash aria-hidden />,
      danger: true,
      onAction: () => setDoing("deleting"),
    },
  ];
  if (doing === "renaming") return <Rename conversation={conversation} onDone={done} />;
  return (
    <li className={styles.row}>
      <NavLink to={`/chat/${id}`} className={styles.link ?? ""} title={title}>
        <span className={styles.title} dir="auto">
          {title}
        </span>
        {conversation.share && (
          <Share role="img" aria-label={t("conversations.shared")} className={styles.shared} />
        )}
      </NavLink>
      <Menu label={t("conversations.menu", { title })} className={styles.more ?? ""} sections={[{ items }]}>
        <Ellipsis aria-hidden size={16} />
      </Menu>
      <Suspense fallback={null}>
        {doing === "sharing" && <ShareDialog conversation={conversation} onDone={done} />}
        {doing === "deleting" && (
          <DeleteDialog
            conversation={conversation}
            onDone={done}
            onDeleted={() => {
              store.forget(id);
              if (here) void navigate("/");
            }}
          />
        )}
      </Suspense>
    </li>
  );
}

function Rename({
  conversation,
  onDone,
}: {
  readonly conversation: Conversation;
  readonly onDone: () => void;
}) {
  const { t } = useTranslation();
  const api = useApi();
  const queries = useQueryClient();
  const [title, setTitle] = useState(conversation.title);
  const renaming = useMutation({
    mutationFn: (wanted: string) => rename(api, conversation.conversation_id, wanted),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["conversations"] }),
    onSettled: onDone,
  });
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (title.trim() && title.trim() !== conversation.title) renaming.mutate(title.trim());
    else onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onDone();
  };
  return (
    <li className={styles.row}>
      <form onSubmit={submit} className={styles.rename}>
        <input
          autoFocus
          aria-label={t("conversations.new_title")}
          dir="auto"
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => submit()}
        />
      </form>
    </li>
  );
}
