import { type RefObject, useEffect, useRef } from "react";

const NEAR_PX = 160;

/** Keeps the end of a growing answer in sight for whoever is there already, and goes to a new question at once. */
export function useFollowing(latest: string, grown: string): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const seen = useRef(latest);
  const there = useRef(true);
  // Where somebody was before it grew, however much that was.
  useEffect(() => {
    const onScroll = () => {
      const scroller = document.scrollingElement;
      if (!scroller) return;
      there.current = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
    };
    document.addEventListener("scroll", onScroll, { passive: true });
    return () => document.removeEventListener("scroll", onScroll);
  }, []);
  useEffect(() => {
    const isNew = latest !== seen.current;
    seen.current = latest;
    if (isNew || there.current) end.current?.scrollIntoView({ block: "end" });
  }, [latest, grown]);
  return end;
}
