/** Builds a long output of a build or test tool and marks the lines that matter. */

export interface TestLog {
  readonly tool: string;
  readonly text: string;
  /** Places in the project's files that matter, as written in the log. */
  readonly places: readonly string[];
  readonly firstError: string;
  readonly lastError: string;
  /** The line with the exit status. */
  readonly status: string;
}

export class LogBuilder {
  readonly #lines: string[] = [];
  readonly #places: string[] = [];
  readonly #errors: string[] = [];

  say(...lines: readonly string[]): this {
    this.#lines.push(...lines);
    return this;
  }

  /** Noise: `count` lines. */
  repeat(count: number, line: (index: number) => string): this {
    for (let index = 0; index < count; index++) this.#lines.push(line(index));
    return this;
  }

  /** A line that reports an error. */
  error(line: string, place?: string): this {
    this.#errors.push(line);
    return place === undefined ? this.say(line) : this.place(line, place);
  }

  /** A line with a place that matters. */
  place(line: string, place: string): this {
    this.#places.push(place);
    return this.say(line);
  }

  done(tool: string, code: number): TestLog {
    const status = `exit code ${code}`;
    const [firstError = ''] = this.#errors;
    return {
      tool,
      text: [...this.#lines, status].join('\n'),
      places: this.#places,
      firstError,
      lastError: this.#errors.at(-1) ?? '',
      status,
    };
  }
}
