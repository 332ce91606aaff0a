import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import LogOut from "lucide-react/icons/log-out";
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import UserRound from "lucide-react/icons/user-round";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useApi } from "../../api/ApiContext";
import { THEMES, useTheme } from "../../app/theme";
import { LANGUAGES, type Language, speak } from "../../i18n";
import { Avatar } from "../../ui/Avatar";
import { Menu } from "../../ui/Menu";
import styles from "./Session.module.css";
import { announce, useSession } from "./SessionProvider";
import { signInAs, signOut, waysQuery } from "./api";
import { nameOf } from "./model";

const SwitchDialog = lazy(() => import("./SwitchDialog").then((own) => ({ default: own.SwitchDialog })));
const THEME_ICONS = {
  system: <Monitor aria-hidden />,
  light: <Sun aria-hidden />,
  dark: <Moon aria-hidden />,
};

/** Other tabs are told, and ask for a new sign-in. */
function left(): void {
  announce();
  location.assign("/sign-in");
}

export function PersonMenu() {
  const { t, i18n } = useTranslation();
  const api = useApi();
  const navigate = useNavigate();
  const { session, changed } = useSession();
  const ways = useQuery(waysQuery(api));
  const [theme, setTheme] = useTheme();
  const [choosing, setChoosing] = useState(false);
  const name = nameOf(session.email);
  const leave = useMutation({ mutationFn: () => signOut(api), onSuccess: left });
  const become = useMutation({
    mutationFn: (email: string) => signInAs(api, email),
    onSuccess: async () => {
      setChoosing(false);
      await navigate("/");
      await changed();
    },
  });
  const switching = {
    id: "switch",
    text: t("person.switch"),
    icon: <UserRound aria-hidden />,
    onAction: () => setChoosing(true),
  };
  const leaving = {
    id: "leave",
    text: t("person.sign_out"),
    icon: <LogOut aria-hidden />,
    onAction: () => leave.mutate(),
  };
  const sections = [
    {
      title: t("theme.title"),
      items: THEMES.map((one) => ({
        id: one,
        text: t(`theme.${one}`),
        icon: THEME_ICONS[one],
        checked: one === theme,
        onAction: () => setTheme(one),
      })),
    },
    {
      title: t("language.title"),
      items: (Object.keys(LANGUAGES) as Language[]).map((one) => ({
        id: one,
        text: LANGUAGES[one],
        checked: one === i18n.language,
        onAction: () => void speak(i18n, one, localStorage),
      })),
    },
    { items: ways.data?.choose ? [switching, leaving] : [leaving] },
  ];
  return (
    <>
      <Menu
        label={t("person.menu", { name })}
        placement="top start"
        named
        className={styles.menuButton ?? ""}
        sections={sections}
      >
        <Avatar name={name} email={session.email} />
        <span className={styles.menuName}>
          <span className={styles.name} dir="auto">
            {name}
          </span>
          <span className={styles.email}>{session.email}</span>
        </span>
        <span className="visually-hidden">{t("person.settings")}</span>
        <ChevronsUpDown aria-hidden size={16} />
      </Menu>
      {choosing && (
        <Suspense fallback={null}>
          <SwitchDialog
            api={api}
            current={session.email}
            disabled={become.isPending}
            onChoose={({ email }) => become.mutate(email)}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </>
  );
}
