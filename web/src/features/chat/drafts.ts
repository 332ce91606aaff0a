/** What somebody typed and did not send yet. It outlives reloads and an expired sign-in, and is shown to nobody else. */

/** The conversation that has not begun. */
export const NEW = "new";

const PREFIX = "cortex:draft:";
const CHARACTERS_MAX = 20_000;

export class Drafts {
  constructor(
    private readonly storage: Storage,
    private readonly personId: string,
  ) {}

  read(place: string): string {
    return this.storage.getItem(this.key(place)) ?? "";
  }

  write(place: string, text: string): void {
    try {
      if (text) this.storage.setItem(this.key(place), text.slice(0, CHARACTERS_MAX));
      else this.storage.removeItem(this.key(place));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error; // full or forbidden: the text is still in the field
    }
  }

  /** What is typed while the first answer begins belongs to the conversation that it begins. */
  began(id: string): void {
    this.write(id, this.read(NEW));
    this.write(NEW, "");
  }

  private key(place: string): string {
    return `${PREFIX}${this.personId}:${place}`;
  }
}
