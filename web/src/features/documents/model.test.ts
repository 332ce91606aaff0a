import { describe, expect, it } from "vitest";
import { type Block, grouped, placeAddress, placeFrom, placeOf, surroundings } from "./model";

const anchor = (block_id: number, start: number, end: number) => ({ revision: 3, block_id, start, end });
const block = (block_id: number, kind = "paragraph"): Block => ({
  block_id,
  kind,
  text: `block ${block_id}`,
  level: null,
  anchor: anchor(block_id, 0, 7),
});

describe("a place", () => {
  it("is the first anchor's block with every quote of it", () => {
    const anchors = [anchor(2, 5, 9), anchor(7, 0, 3), anchor(2, 20, 30)];
    expect(placeOf(anchors)).toEqual({
      blockId: 2,
      revision: 3,
      spans: [
        [5, 9],
        [20, 30],
      ],
    });
    expect(placeOf([])).toBeNull();
  });

  it("is the same after it was an address", () => {
    const address = placeAddress("d-1", placeOf([anchor(2, 5, 9)]));
    expect(placeFrom(new URL(address, "http://x").searchParams)).toEqual({
      blockId: 2,
      revision: 3,
      spans: [[5, 9]],
    });
  });

  it.each(["", "at=", "at=1", "at=1.2", "at=-1.2.3", "at=1.2.3.4", "at=<script>", "at=99999999999.1.2"])(
    "is none in %j",
    (query) => {
      expect(placeFrom(new URLSearchParams(query))).toBeNull();
    },
  );
});

it("a block is shown with its neighbours, and a foreign one not at all", () => {
  const all = [0, 1, 2, 3, 4].map((id) => block(id));
  expect(surroundings(all, 0, 1).map(({ block_id }) => block_id)).toEqual([0, 1]);
  expect(surroundings(all, 3, 1).map(({ block_id }) => block_id)).toEqual([2, 3, 4]);
  expect(surroundings(all, 9, 1)).toEqual([]);
});

it("list items that follow each other are one list", () => {
  const groups = grouped([
    block(0),
    block(1, "list_item"),
    block(2, "list_item"),
    block(3),
    block(4, "list_item"),
  ]);
  expect(groups.map(({ list, blocks }) => [list, blocks.length])).toEqual([
    [false, 1],
    [true, 2],
    [false, 1],
    [true, 1],
  ]);
});
