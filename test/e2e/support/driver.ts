/** Another program that drives a session over pipes: writes lines, and waits for lines. */
import type { Line } from './jsonLines.ts';
import type { Printed, PrintOptions, RunningPrint, TestProgram } from './testProgram.ts';

export interface Driver {
  readonly run: RunningPrint;
  /** All lines so far. */
  lines(): readonly Line[];
  send(message: object): void;
  /** Sends a prompt. */
  prompt(content: string | readonly object[], more?: object): void;
  /** Resolves to the first line that matches, of those that no earlier call returned. */
  next(matches: (line: Line) => boolean): Promise<Line>;
  /** Resolves to the next line of this type. */
  nextOf(type: string, subtype?: string): Promise<Line>;
  /** Sends a control request and resolves to the response. */
  request(request: { subtype: string } & Record<string, unknown>): Promise<Response>;
  /** Answers a control request of the program. */
  answer(request: Line, response: object): void;
  /** Closes the input and resolves when the program has ended. */
  end(): Promise<Printed>;
}

export interface Response {
  readonly subtype: 'success' | 'error';
  readonly response?: Record<string, unknown>;
  readonly error?: string;
}

const FORMATS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** Starts the program as the published SDKs do. */
export function startDriver(
  { startPrint }: Pick<TestProgram, 'startPrint'>,
  flags: readonly string[] = [],
  options: PrintOptions = {},
): Driver {
  const run = startPrint([...FORMATS, ...flags], { ...options, isInputOpen: true });
  let taken = 0;
  let requests = 0;
  const waiting = new Set<() => void>();
  run.onOutput(() => {
    for (const wake of waiting) wake();
  });
  let printed: Printed | undefined;
  void run.ended.then((end) => {
    printed = end;
    for (const wake of waiting) wake();
  });
  const seen = new Set<number>();
  const lines = (): readonly Line[] =>
    run
      .printed()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const send = (message: object): void => run.write(`${JSON.stringify(message)}\n`);
  const next: Driver['next'] = async (matches) => {
    for (;;) {
      const all = lines();
      const at = all.findIndex((line, index) => index >= taken && !seen.has(index) && matches(line));
      const found = all[at];
      if (found !== undefined) {
        seen.add(at);
        while (seen.has(taken)) taken++;
        return found;
      }
      if (printed !== undefined)
        throw new Error(`the program ended with ${printed.code} before that line: ${printed.stderr}`);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
  return {
    run,
    lines,
    send,
    prompt: (content, more = {}) =>
      send({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more }),
    next,
    nextOf: (type, subtype) =>
      next((line) => line.type === type && (subtype === undefined || line.subtype === subtype)),
    async request(request) {
      const request_id = `r${++requests}`;
      send({ type: 'control_request', request_id, request });
      const line = await next(
        ({ type, response }) =>
          type === 'control_response' && (response as { request_id: string }).request_id === request_id,
      );
      return line.response as Response;
    },
    answer: ({ request_id }, response) =>
      send({ type: 'control_response', response: { subtype: 'success', request_id, response } }),
    end() {
      run.endInput();
      return run.ended;
    },
  };
}
