import Compass from "lucide-react/icons/compass";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty } from "../ui/States";
import { useTitle } from "./title";

export function NotFound() {
  const { t } = useTranslation();
  useTitle(t("problem.not-found.title"));
  return (
    <Empty icon={<Compass aria-hidden />} title={t("problem.not-found.title")} level={1}>
      <p>{t("problem.not-found.what")}</p>
      <Link to="/">{t("nav.home")}</Link>
    </Empty>
  );
}
