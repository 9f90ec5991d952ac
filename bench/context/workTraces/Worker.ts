/**
 * Plays a plan through a conversation. What a step needs and the request does not show costs extra steps:
 *
 * - A need that is `missing` is looked up. A file is read again; if the result was cut, the lines around the text are
 *   read next. A command's output or the user's rule is recalled where there is a `Recall`; otherwise, or if that did
 *   not bring it, the command is run again or the user is asked.
 * - An edit whose old text is `stale` or `forgotten` is attempted, fails, and counts as a wrong edit. From then on the
 *   reader knows, and looks the text up.
 * - An edit that had to guess a field, a value or a rule is made with the guess and counts as a wrong edit. The next
 *   test run exposes it (a broken rule is pointed out by the user): one more edit each, then one more test run.
 *
 * Every extra step is a full request, billed like any other, and what it adds to the conversation stays there.
 */
import type { AssistantMessage } from '../../../src/protocol/messages.ts';
import { STEP_MINUTES } from '../simulate.ts';
import type { Bill, Conversation, Done, Request } from './conversation.ts';
import type { Action, Need, NeedKind, Plan, PlanStep } from './plan.ts';
import { type Judgement, judge } from './reader.ts';
import { callOf, type Toolbox } from './Toolbox.ts';
import type { WorkClock } from './WorkClock.ts';

/** A kind of need, and what a request said of it. */
export type Unmet = `${NeedKind} ${Exclude<Judgement, 'shown'>}`;

export interface WorkCounts {
  /** Steps of the plan. */
  readonly planned: number;
  readonly extraBefore: number;
  readonly extraAfter: number;
  readonly wrongEdits: number;
  readonly recalls: number;
  /** Needs that a request did not show when the step was first attempted. */
  readonly unmet: ReadonlyMap<Unmet, number>;
  /** Tokens of prompts, replies and results of the plan. */
  readonly workTokens: number;
}

export interface Tools {
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
  readonly clock: WorkClock;
  readonly bill: Bill;
  readonly count: (text: string) => number;
}

/** Plays the whole plan. Throws if a planned edit does not apply, which would be a bug of the bench. */
export async function playPlan(plan: Plan, tools: Tools): Promise<WorkCounts> {
  const worker = new Worker(tools);
  for (const event of plan.events) {
    if (event.type === 'pause') await tools.clock.pass(event.minutes);
    else if (event.type === 'prompt') await worker.prompt(event.text);
    else await worker.step(event);
  }
  await worker.finish();
  return worker.counts();
}

/** An edit that was made with a guess and is not repaired yet. */
interface Wrong {
  readonly path: string;
  readonly made: string;
  readonly right: string;
  readonly needs: readonly Need[];
}

/** How often the reader looks for the same text before it gives up. */
const MOST_TRIES = 4;

class Worker {
  readonly #tools: Tools;
  readonly #unmet = new Map<Unmet, number>();
  #wrong: readonly Wrong[] = [];
  #calls = 0;
  #planned = 0;
  #extraBefore = 0;
  #extraAfter = 0;
  #wrongEdits = 0;
  #recalls = 0;
  #workTokens = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async prompt(text: string): Promise<void> {
    this.#workTokens += this.#tools.count(text);
    await this.#tools.conversation.prompt(text);
  }

  async step(step: PlanStep): Promise<void> {
    const [edit] = step.actions;
    const spoilt = this.#wrong.find(({ right }) => edit?.tool === 'Edit' && edit.oldText === right);
    if (spoilt !== undefined) await this.#repair(spoilt);
    const { request, guessed } = await this.#ready(step.needs, step.actions);
    const actions = step.actions.map((action) => this.#asDone(action, guessed));
    const done = await this.#ask(request, step.prose, actions);
    this.#planned++;
    this.#workTokens += this.#tools.count([step.prose, ...done.map(({ call }) => call.arguments)].join('\n'));
    for (const { outcome } of done) this.#workTokens += this.#tools.count(outcome.text);
    for (const one of done) expectDone(one);
    if (guessed.length > 0) this.#wrongEdits++;
    const test = step.actions.find((action) => action.tool === 'Bash' && action.isTest);
    if (test !== undefined) await this.#repairAll(test);
  }

  /** Repairs whatever is still wrong at the end. */
  async finish(): Promise<void> {
    const command = 'npx vitest run';
    await this.#repairAll({ tool: 'Bash', command, output: ' Tests passed', failed: false, isTest: true });
  }

  counts(): WorkCounts {
    return {
      planned: this.#planned,
      extraBefore: this.#extraBefore,
      extraAfter: this.#extraAfter,
      wrongEdits: this.#wrongEdits,
      recalls: this.#recalls,
      unmet: this.#unmet,
      workTokens: this.#workTokens,
    };
  }

  /** Looks up what is missing, then returns the request for the step and the needs that it has to guess. */
  async #ready(
    needs: readonly Need[],
    actions: readonly Action[],
  ): Promise<{ readonly request: Request; readonly guessed: readonly Need[] }> {
    const tries = new Map<Need, number>();
    const guessed = new Set<Need>();
    for (;;) {
      const request = await this.#tools.conversation.request();
      const found = this.#firstUnmet(request, needs, guessed, tries);
      if (found === undefined) return { request, guessed: [...guessed] };
      const { need, judgement } = found;
      const tried = tries.get(need) ?? 0;
      const isNoticed = tried > 0 || judgement === 'missing';
      tries.set(need, tried + 1);
      if (tried > MOST_TRIES && need.kind === 'old text')
        throw new Error(`No request shows ${need.signs[0]}, however often it is read.`);
      if (isNoticed && tried < MOST_TRIES) await this.#lookFor(need, tried, request);
      else if (need.kind === 'old text') await this.#editInVain(need, actions, request);
      else guessed.add(need);
    }
  }

  #firstUnmet(
    request: Request,
    needs: readonly Need[],
    guessed: ReadonlySet<Need>,
    tries: ReadonlyMap<Need, number>,
  ): { readonly need: Need; readonly judgement: Judgement } | undefined {
    for (const need of needs) {
      if (guessed.has(need)) continue;
      const judgement = judge(need, request.shown);
      if (judgement === 'shown') continue;
      if (!tries.has(need)) {
        const key = `${need.kind} ${judgement}` as const;
        this.#unmet.set(key, (this.#unmet.get(key) ?? 0) + 1);
      }
      return { need, judgement };
    }
    return undefined;
  }

  async #lookFor(need: Need, tried: number, request: Request): Promise<void> {
    const { source } = need;
    const { recall } = this.#tools.conversation;
    if (source.type === 'file') {
      const near = tried === 0 ? {} : { near: need.text };
      const read = { tool: 'Read', path: source.path, ...near } as const;
      await this.#extra(request, 'I have to see this file again.', [read]);
    } else if (tried === 0 && recall !== undefined) {
      await this.#recall(request, need.signs[0] ?? need.text, recall);
    } else if (source.type === 'command') {
      const { command, output } = source;
      const again = { tool: 'Bash', command, output, failed: true, isTest: false } as const;
      await this.#extra(request, 'I have to see that failure again.', [again]);
    } else {
      await this.#extra(request, `What did you say about the ${need.signs[0]}?`, []);
      await this.#tools.conversation.prompt(need.text);
    }
  }

  async #recall(request: Request, query: string, recall: (query: string) => Promise<string>): Promise<void> {
    this.#recalls++;
    this.#countExtra();
    const call = { id: `call_${++this.#calls}`, name: 'Recall', arguments: JSON.stringify({ query }) };
    await this.#reply(request, { role: 'assistant', content: '', toolCalls: [call] }, async () => {
      const text = await recall(query);
      const outcome = { status: 'ok', text, kind: 'text', display: { title: `"${query}"` } } as const;
      return [{ action: { tool: 'Recall', query }, call, outcome }];
    });
  }

  /** An edit with an earlier version of the text, or with one from memory. */
  async #editInVain(need: Need, actions: readonly Action[], request: Request): Promise<void> {
    const [edit] = actions;
    if (edit?.tool !== 'Edit') throw new Error('Only an edit needs an old text.');
    const shown = need.earlier.findLast((old) => request.shown.some(({ text }) => text.includes(old)));
    this.#wrongEdits++;
    await this.#extra(request, '', [{ ...edit, oldText: shown ?? `// ${edit.path}: as I remember it` }]);
  }

  /** An edit with its guesses filled in; a test run with the failures that earlier guesses cause. */
  #asDone(action: Action, guessed: readonly Need[]): Action {
    if (action.tool === 'Edit' && guessed.length > 0) {
      const made = guessed.reduce((text, { uses, guess }) => text.replaceAll(uses, guess), action.newText);
      const { path, newText: right } = action;
      this.#wrong = [...this.#wrong, { path, made, right, needs: guessed }];
      return { ...action, newText: made };
    }
    if (action.tool !== 'Bash' || !action.isTest || this.#wrong.length === 0) return action;
    const failures = this.#wrong.flatMap(({ path, needs }) =>
      needs.map(({ uses, guess }) => ` FAIL  ${path}: expected ${uses} and not ${guess}`),
    );
    return { ...action, failed: true, output: [action.output, ...failures].join('\n') };
  }

  async #repairAll(test: Action): Promise<void> {
    const wrong = this.#wrong;
    if (wrong.length === 0) return;
    for (const { text } of wrong.flatMap(({ needs }) => needs.filter(({ kind }) => kind === 'rule')))
      await this.#tools.conversation.prompt(`That is not what I asked for. ${text}`);
    for (const one of wrong) await this.#repair(one);
    await this.#extra(await this.#tools.conversation.request(), 'Once more.', [test]);
  }

  async #repair(wrong: Wrong): Promise<void> {
    const { path, made, right } = wrong;
    const need: Need = {
      kind: 'old text',
      text: made,
      earlier: [],
      signs: [path],
      source: { type: 'file', path },
      uses: '',
      guess: '',
      distance: 0,
    };
    const actions = [{ tool: 'Edit', path, oldText: made, newText: right }] as const;
    const { request } = await this.#ready([need], actions);
    this.#wrong = this.#wrong.filter((one) => one !== wrong);
    for (const one of await this.#extra(request, 'That was wrong.', actions)) expectDone(one);
  }

  async #extra(request: Request, prose: string, actions: readonly Action[]): Promise<readonly Done[]> {
    this.#countExtra();
    return this.#ask(request, prose, actions);
  }

  #countExtra(): void {
    if (this.#tools.conversation.compactions() === 0) this.#extraBefore++;
    else this.#extraAfter++;
  }

  /** One request with its reply, and the results of its calls. */
  async #ask(request: Request, prose: string, actions: readonly Action[]): Promise<readonly Done[]> {
    const calls = actions.map((action) => ({ action, call: callOf(action, `call_${++this.#calls}`) }));
    const toolCalls = calls.map(({ call }) => call);
    let done: readonly Done[] = [];
    await this.#reply(request, { role: 'assistant', content: prose, toolCalls }, async () => {
      const all: Done[] = [];
      for (const { action, call } of calls)
        all.push({ action, call, outcome: await this.#tools.toolbox.run(action) });
      done = all;
      return all;
    });
    return done;
  }

  async #reply(
    request: Request,
    message: AssistantMessage,
    run: () => Promise<readonly Done[]>,
  ): Promise<void> {
    const { conversation, bill, clock, count } = this.#tools;
    const said = [message.content, ...message.toolCalls.map((call) => call.arguments)].join('\n');
    bill.ask(request.blocks, count(said), clock.minute);
    await conversation.step(message, async () => {
      const done = await run();
      await clock.pass(STEP_MINUTES);
      return done;
    });
  }
}

/** A command may fail; an edit whose old text was shown must not. */
function expectDone({ action, outcome }: Done): void {
  if ((action.tool === 'Edit' || action.tool === 'Read') && outcome.status === 'error')
    throw new Error(`${action.tool} of ${action.path} failed: ${outcome.text}`);
}
