/**
 * Tracks whether growing text is a complete JSON object yet. Scans each character once and parses the whole at most
 * once: parsing after every piece would take quadratic time.
 */
export interface CompletenessWatch {
  /** Adds the next piece. */
  pass(piece: string): void;
  /** `whole`: all pieces added so far, joined. */
  isComplete(whole: string): boolean;
}

/** Starts before the first character. */
export function createCompletenessWatch(): CompletenessWatch {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  /** `closed`: the outermost bracket has closed, and only white space has followed. */
  let state: 'blank' | 'open' | 'closed' | 'never' = 'blank';
  let isValid: boolean | undefined;

  function take(char: string): void {
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (char === '\\') isEscaped = true;
      else if (char === '"') inString = false;
      return;
    }
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) state = 'closed';
  }

  return {
    pass(piece) {
      for (let at = 0; at < piece.length && state !== 'never'; at += 1) {
        const char = piece[at] ?? '';
        if (state === 'open') take(char);
        else if (char.trim() === '') continue;
        else if (state === 'blank' && char === '{') {
          state = 'open';
          depth = 1;
        } else state = 'never';
      }
    },
    isComplete(whole) {
      if (state !== 'closed') return false;
      isValid ??= isJson(whole);
      return isValid;
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
