/**
 * Tracks Markdown far enough to know what is code, where a tool call is only quoted, and what is a `<think>` block.
 */
interface CodeWatch {
  /** Adds the next piece of text. */
  push(text: string): void;
  /**
   * True if the next character would be in a fence, between backticks, in an indented or quoted line, or in a `<think>`
   * block.
   */
  isCode(): boolean;
  /** True if only white space precedes the next character on its line. */
  isLineStart(): boolean;
  /** An independent copy, to look ahead with. */
  copy(): CodeWatch;
}

interface State {
  /** The line so far; only the end of a long one. */
  line: string;
  /** The open fence, e.g. ```` ``` ````. */
  fence: string;
  backticks: number;
  inThought: boolean;
  isLongLine: boolean;
  /** True if an earlier line contains text. */
  hasText: boolean;
}

const MAX_LINE = 4096;

export function createCodeWatch(from?: State): CodeWatch {
  const state: State = from ?? {
    line: '',
    fence: '',
    backticks: 0,
    inThought: false,
    isLongLine: false,
    hasText: false,
  };

  function endLine(): void {
    const [mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(state.line)?.slice(1) ?? [];
    if (state.fence === '') {
      if (mark !== '' && !state.isLongLine) state.fence = mark;
    } else if (mark.startsWith(state.fence) && /^[`~\s]*$/.test(state.line)) state.fence = '';
    const hasText = state.hasText || state.isLongLine || state.line.trim() !== '';
    Object.assign(state, { line: '', backticks: 0, isLongLine: false, hasText });
  }

  /** A piece of one line. */
  function addToLine(piece: string): void {
    for (let at = piece.indexOf('`'); at !== -1; at = piece.indexOf('`', at + 1)) state.backticks += 1;
    if (piece.includes('>')) {
      const near = state.line.slice(-'</think>'.length) + piece;
      const opened = near.lastIndexOf('<think>');
      const closed = near.lastIndexOf('</think>');
      if (opened !== closed) state.inThought = opened > closed;
    }
    state.line += piece;
    if (state.line.length > MAX_LINE) {
      state.line = state.line.slice(-16);
      state.isLongLine = true;
    }
  }

  return {
    push(text) {
      let from = 0;
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
        if (end > from) addToLine(text.slice(from, end));
        endLine();
        from = end + 1;
      }
      if (from < text.length) addToLine(text.slice(from));
    },
    isCode: () =>
      state.inThought ||
      state.fence !== '' ||
      state.backticks % 2 === 1 ||
      /^ {0,3}(?:```|~~~|>)/.test(state.line) ||
      // The first text of a reply is never code, regardless of its indentation.
      (state.hasText && /^(?: {4}| {0,3}\t)/.test(state.line)),
    isLineStart: () => !state.isLongLine && state.line.trim() === '',
    copy: () => createCodeWatch({ ...state }),
  };
}
