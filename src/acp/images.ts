/**
 * Images in the model's Markdown: a client that shows them would fetch any URL, including data that the model put into
 * it. Outside code, `![` and the tags that load or hide something are escaped, so that the text is shown as written.
 * Pure.
 */

interface ImageFilter {
  /** Returns what can be shown so far; the rest follows with the next piece. */
  push(text: string): string;
  /** Returns the rest, and begins another text. */
  end(): string;
}

/** A longer line is not a fence, so it is not held back. */
const MAX_MARK = 200;

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/**
 * Only a fence at the beginning of a line counts as code, and none after a line that begins with HTML: a fence inside a
 * list, a quotation or HTML may end earlier than it seems. Source: CommonMark 0.31, 4.5 and 4.6.
 */
export function createImageFilter(): ImageFilter {
  let pending = '';
  let isLineStart = true;
  let fence: Fence | undefined;
  let hasHtml = false;

  const line = (text: string): string => {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence.mark) && mark.length >= fence.length) fence = undefined;
      return text;
    }
    const [, opening = ''] = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(text) ?? [];
    if (opening !== '' && !hasHtml) fence = { mark: opening.slice(0, 1), length: opening.length };
    hasHtml ||= /^ {0,3}</.test(text);
    return escaped(text);
  };

  const push = (text: string): string => {
    pending += text;
    let shown = '';
    while (pending !== '') {
      const end = pending.indexOf('\n');
      const mayMark = isLineStart && /^[ `~<]/.test(pending);
      if (mayMark && end === -1 && pending.length <= MAX_MARK) return shown;
      const now = end === -1 ? pending : pending.slice(0, end);
      const held = end === -1 && fence === undefined ? (unfinished.exec(now)?.[0].length ?? 0) : 0;
      const isHeld = held > 0;
      const taken = now.slice(0, now.length - held);
      const isWhole = mayMark && end !== -1;
      shown += isWhole ? line(taken) : fence === undefined ? escaped(taken) : taken;
      // A line that is not waited for may have been a mark: no code is recognized from here on.
      if (mayMark && !isWhole && !isHeld) [fence, hasHtml] = [undefined, true];
      if (end === -1) {
        isLineStart &&= taken === '';
        pending = pending.slice(taken.length);
        return shown;
      }
      shown += '\n';
      pending = pending.slice(end + 1);
      isLineStart = true;
    }
    return shown;
  };

  return {
    push,
    end() {
      const rest =
        isLineStart && /^[ `~<]/.test(pending)
          ? line(pending)
          : fence === undefined
            ? escaped(pending)
            : pending;
      [pending, isLineStart, fence, hasHtml] = ['', true, undefined, false];
      return rest;
    },
  };
}

/** A complete text. */
export function withoutImages(text: string): string {
  const filter = createImageFilter();
  return filter.push(text) + filter.end();
}

/**
 * Tags that load what they name, or that hide what is inside; comments do, too. Replaced by `&lt;`, since the model's own
 * backslash before a backslash of ours would undo it.
 */
const tags =
  /<(?=!--|(?:img|image|picture|source|video|audio|iframe|embed|object|svg|use|link|style|script|input|details)(?![a-z\d-]))/gi;
/** The beginning of such a tag or of `![`, which the next piece may complete. */
const unfinished = /(?:!|<(?:!-?|[a-z]{0,7}))$/i;

const escaped = (text: string): string => text.replaceAll('![', '!\\[').replace(tags, '&lt;');
