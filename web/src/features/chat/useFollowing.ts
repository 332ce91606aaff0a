import { type RefObject, useEffect, useRef } from "react";

const NEAR_PX = 160;

/** Keeps the end of a growing answer in sight for whoever is there already, and goes to a new question at once. */
export function useFollowing(turns: number, segments: number): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const seen = useRef(turns);
  useEffect(() => {
    const isNew = turns > seen.current;
    seen.current = turns;
    const scroller = document.scrollingElement;
    if (!scroller) return;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (isNew || left < NEAR_PX) end.current?.scrollIntoView({ block: "end" });
  }, [turns, segments]);
  return end;
}
