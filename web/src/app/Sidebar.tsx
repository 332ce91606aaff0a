import MessageSquarePlus from "lucide-react/icons/message-square-plus";
import Search from "lucide-react/icons/search";
import Users from "lucide-react/icons/users";
import X from "lucide-react/icons/x";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { NavLink } from "react-router";
import { useApi } from "../api/ApiContext";
import { Conversations } from "../features/conversations/Conversations";
import { PersonMenu } from "../features/session/PersonMenu";
import { waysQuery } from "../features/session/api";
import { IconButton } from "../ui/Button";
import { Logo } from "../ui/Logo";
import styles from "./Sidebar.module.css";

export function Sidebar({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const ways = useQuery(waysQuery(useApi()));
  return (
    <div className={styles.sidebar} onClick={(event) => followed(event.target) && onClose()}>
      <header className={styles.head}>
        <Logo />
        <span className={styles.close}>
          <IconButton label={t("nav.close")} onPress={onClose}>
            <X aria-hidden />
          </IconButton>
        </span>
      </header>
      <nav aria-label={t("nav.main")} className={styles.nav}>
        <NavLink to="/" end className={styles.link ?? ""}>
          <MessageSquarePlus aria-hidden />
          {t("nav.new_chat")}
        </NavLink>
        <NavLink to="/search" className={styles.link ?? ""}>
          <Search aria-hidden />
          {t("nav.search")}
        </NavLink>
        {ways.data?.choose && (
          <NavLink to="/compare" className={styles.link ?? ""}>
            <Users aria-hidden />
            {t("nav.compare")}
          </NavLink>
        )}
      </nav>
      <div className={styles.middle}>
        <Conversations />
      </div>
      <div className={styles.foot}>
        <PersonMenu />
      </div>
    </div>
  );
}

/** Whoever follows a link is done with the drawer. */
function followed(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a") !== null;
}
