/**
 * Which of some strings occur in a text of any length: all of them in one pass (Aho and Corasick, 1975), so that
 * neither many strings nor a hostile text make it slow. Runs of white space count as one blank on both sides.
 */

interface Node {
  readonly next: Map<number, Node>;
  /** Where to go on when no further character fits. */
  fail: Node | undefined;
  /** The string that ends here, and the nearest shorter one that does. */
  pattern: string | undefined;
  shorter: Node | undefined;
}

/** Characters between two chances for the caller to pause. */
const CHUNK = 32_768;

export class Occurrences {
  readonly #root: Node = newNode();
  /** 1 for each character that a string begins with: most of a text is passed over by this alone. */
  readonly #first = new Uint8Array(0x1_0000);
  readonly #open = new Set<string>();
  readonly #found = new Set<string>();

  /** Empty strings are left out. A string is found only where it does not begin or end inside a word. */
  constructor(patterns: Iterable<string>) {
    for (const pattern of patterns) if (folded(pattern) !== '') this.#add(folded(pattern));
    this.#link();
  }

  has(pattern: string): boolean {
    return this.#found.has(folded(pattern));
  }

  /** True when everything was found: the rest need not be read. */
  get isComplete(): boolean {
    return this.#open.size === 0;
  }

  /** Reads one text from its beginning; yields now and then. */
  *read(text: string): Generator<void, void> {
    let node = this.#root;
    let isBlank = false;
    for (let index = 0; index < text.length; index++) {
      if (index % CHUNK === CHUNK - 1) yield;
      let code = text.charCodeAt(index);
      if (isSpace(code)) {
        if (isBlank) continue;
        isBlank = true;
        code = 32;
      } else isBlank = false;
      if (node === this.#root && this.#first[code] === 0) continue;
      let next = node.next.get(code);
      while (next === undefined && node.fail !== undefined) {
        node = node.fail;
        next = node.next.get(code);
      }
      node = next ?? this.#root;
      for (
        let end: Node | undefined = node.pattern === undefined ? node.shorter : node;
        end !== undefined;
        end = end.shorter
      )
        this.#note(end.pattern ?? '', text, index);
      if (this.isComplete) return;
    }
  }

  #note(pattern: string, text: string, last: number): void {
    if (!this.#open.has(pattern)) return;
    const after = text.charCodeAt(last + 1);
    if (isWord(pattern.charCodeAt(pattern.length - 1)) && isWord(after) && !isHashStart(pattern)) return;
    // Where blanks were folded the beginning lies further back; then only the end is looked at.
    const start = last + 1 - pattern.length;
    const isExact = text.startsWith(pattern, start);
    if (isExact && start > 0 && isWord(pattern.charCodeAt(0)) && isWord(text.charCodeAt(start - 1))) return;
    this.#open.delete(pattern);
    this.#found.add(pattern);
  }

  #add(pattern: string): void {
    let node = this.#root;
    this.#first[pattern.charCodeAt(0)] = 1;
    for (let index = 0; index < pattern.length; index++) {
      const code = pattern.charCodeAt(index);
      let next = node.next.get(code);
      if (next === undefined) {
        next = newNode();
        node.next.set(code, next);
      }
      node = next;
    }
    node.pattern = pattern;
    this.#open.add(pattern);
  }

  /** Breadth first, so that a node's failure link, which is nearer to the root, is there before it is needed. */
  #link(): void {
    const queue: Node[] = [];
    for (const child of this.#root.next.values()) {
      child.fail = this.#root;
      queue.push(child);
    }
    for (let at = 0; at < queue.length; at++) {
      const node = queue[at];
      if (node === undefined) break;
      for (const [code, child] of node.next) {
        let fail = node.fail;
        while (fail !== undefined && !fail.next.has(code)) fail = fail.fail;
        child.fail = fail?.next.get(code) ?? this.#root;
        child.shorter = child.fail.pattern === undefined ? child.fail.shorter : child.fail;
        queue.push(child);
      }
    }
  }
}

function newNode(): Node {
  return { next: new Map(), fail: undefined, pattern: undefined, shorter: undefined };
}

function folded(text: string): string {
  return text.replace(/[\s\u00a0]+/g, ' ').trim();
}

/** The first characters of a hash stand for the whole. */
function isHashStart(pattern: string): boolean {
  return pattern.length >= 7 && /^(?=.*\d)[\da-f]+$/.test(pattern);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x2028 || code === 0x2029;
}

/** Letters, digits and underscore of ASCII; other scripts do not part their words. */
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  );
}
