import ThumbsDown from "lucide-react/icons/thumbs-down";
import ThumbsUp from "lucide-react/icons/thumbs-up";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useApi } from "../../api/ApiContext";
import { data } from "../../api/client";
import { Button, IconButton } from "../../ui/Button";
import styles from "./Turn.module.css";
import type { Rating } from "./model";

type Props = { readonly answerId: string; readonly given: Rating | null };

/** A thumb, and after one that points down room for what was wrong. The same thumb again takes it back. */
export function Feedback({ answerId, given }: Props) {
  const { t } = useTranslation();
  const api = useApi();
  const [rating, setRating] = useState(given);
  const [commenting, setCommenting] = useState(false);
  const [comment, setComment] = useState("");
  const path = { params: { path: { answer: answerId } } };
  const saving = useMutation({
    mutationFn: async ({ wanted, said }: { wanted: Rating | null; said: string }) => {
      if (wanted === null) await data(api.calls.DELETE("/v1/answers/{answer}/feedback", path));
      else {
        const body = { rating: wanted, ...(said ? { comment: said } : {}) };
        await data(api.calls.POST("/v1/answers/{answer}/feedback", { ...path, body }));
      }
    },
  });
  const rate = (wanted: Rating) => {
    const next = rating === wanted ? null : wanted;
    const before = rating;
    setRating(next);
    setCommenting(next === "down");
    saving.mutate({ wanted: next, said: "" }, { onError: () => setRating(before) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate({ wanted: "down", said: comment.trim() }, { onSuccess: () => setCommenting(false) });
  };
  return (
    <>
      <IconButton label={t("feedback.up")} pressed={rating === "up"} onPress={() => rate("up")}>
        <ThumbsUp aria-hidden />
      </IconButton>
      <IconButton label={t("feedback.down")} pressed={rating === "down"} onPress={() => rate("down")}>
        <ThumbsDown aria-hidden />
      </IconButton>
      <span role="status" className={styles.said}>
        {saving.isError
          ? t("feedback.failed")
          : saving.isSuccess && rating && !commenting
            ? t("feedback.thanks")
            : ""}
      </span>
      {commenting && (
        <form onSubmit={submit} className={styles.comment}>
          <label>
            <span className="visually-hidden">{t("feedback.what")}</span>
            <input
              dir="auto"
              maxLength={4_000}
              value={comment}
              placeholder={t("feedback.what")}
              onChange={(event) => setComment(event.target.value)}
            />
          </label>
          <Button type="submit" size="sm" isDisabled={!comment.trim() || saving.isPending}>
            {t("feedback.send")}
          </Button>
        </form>
      )}
    </>
  );
}
