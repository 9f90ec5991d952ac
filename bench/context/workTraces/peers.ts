/** The models of other agents' mechanisms (`peers/peers.ts`), applied to the real texts of a work trace. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenCounter } from '../../../src/context/index.ts';
import type { AssistantMessage, Message } from '../../../src/protocol/messages.ts';
import { claudeLike, codexLike, opencode2, pi } from '../peers/peers.ts';
import { type Block, blocksOf, type Change, type Item, type Maker, type Policy } from '../policy.ts';
import type { TraceCall } from '../trace/types.ts';
import {
  type Conversation,
  type Done,
  type Request,
  type Surroundings,
  summarySeconds,
  type WorkPolicy,
} from './conversation.ts';
import { type Shown, textOf } from './render.ts';

export const peerPolicies: readonly WorkPolicy[] = [claudeLike, codexLike, pi, opencode2].map((policy) => ({
  name: policy.name,
  isOurs: false,
  open: async (surroundings) => new PeerConversation(policy, surroundings),
}));

/** Tokens of the instruction at the end of a summary request. */
const INSTRUCTION_TOKENS = 400;

class PeerConversation implements Conversation {
  readonly recall = undefined;
  readonly #counter = new TokenCounter();
  readonly #reduce: ReturnType<Policy['start']>;
  readonly #surroundings: Surroundings;
  readonly #make: Maker;
  readonly #system: Block;
  #nextId = 1;
  #steps = 0;
  #compactions = 0;
  #isPrompt = false;
  #items: readonly Item[] = [];

  constructor(policy: Policy, surroundings: Surroundings) {
    this.#reduce = policy.start();
    this.#surroundings = surroundings;
    // What a policy writes is counted, not taken at the size it was planned with.
    this.#make = {
      block: (_tokens, text) => this.#block({ role: 'user', content: text() }),
      count: (line) => this.#counter.countText(line),
    };
    this.#system = this.#block({ role: 'system', content: surroundings.systemPrompt });
  }

  async prompt(content: string): Promise<void> {
    this.#items = [...this.#items, { kind: 'prompt', block: this.#block({ role: 'user', content }) }];
    this.#isPrompt = true;
  }

  async request(): Promise<Request> {
    await this.#makeRoom();
    const shown = this.#items.flatMap((item): Shown[] =>
      blocksOf(item).map((block) => ({ isPrompt: item.kind === 'prompt', text: block.text() })),
    );
    return { blocks: this.#blocks(), shown };
  }

  async step(message: AssistantMessage, run: () => Promise<readonly Done[]>): Promise<void> {
    const done = await run();
    const results = done.map(({ call: { id, name }, outcome: { status, text } }) =>
      this.#block({ role: 'tool', toolCallId: id, name, content: text, isError: status === 'error' }),
    );
    const step = { type: 'step', proseTokens: 0, calls: done.map(traceCall) } as const;
    const event = this.#steps++;
    const reply = this.#block(message);
    this.#items = [...this.#items, { kind: 'step', event, step, reply, results, isMasked: false }];
  }

  compactions(): number {
    return this.#compactions;
  }

  async close(): Promise<void> {}

  async #makeRoom(): Promise<void> {
    const { windowTokens, clock, bill, root } = this.#surroundings;
    const moment = {
      trace: { windowTokens, fixedTokens: this.#system.tokens },
      tokens: this.#blocks().reduce((sum, { tokens }) => sum + tokens, 0),
      isCold: bill.isCold(clock.minute),
      isPrompt: this.#isPrompt,
      readFile: (path: string) => readFileSync(join(root, path), 'utf8'),
    };
    this.#isPrompt = false;
    const change = this.#reduce(this.#items, moment, this.#make);
    if (change === undefined) return;
    if (change.kind === 'summary') this.#compactions++;
    await this.#payFor(change);
    this.#items = change.items;
  }

  /** The loop waits for the whole summary. */
  async #payFor({ calls, items }: Change): Promise<void> {
    const { clock, bill } = this.#surroundings;
    const before = new Set(this.#items);
    const written = items.find((item) => item.kind === 'summary' && !before.has(item));
    for (const { rides, inputTokens, outputTokens: planned } of calls) {
      const outputTokens = written === undefined ? planned : (blocksOf(written)[0]?.tokens ?? planned);
      const instruction = { id: this.#nextId++, tokens: INSTRUCTION_TOKENS };
      if (rides) bill.askBeside([...this.#blocks(), instruction], outputTokens, clock.minute);
      else bill.askApart(inputTokens + INSTRUCTION_TOKENS, outputTokens);
      await clock.wait(summarySeconds(outputTokens));
    }
  }

  #blocks(): readonly Block[] {
    return [this.#system, ...this.#items.flatMap(blocksOf)];
  }

  #block(message: Message): Block {
    const text = textOf(message);
    return { id: this.#nextId++, tokens: this.#counter.countMessage(message), text: () => text };
  }
}

function traceCall({ action, call, outcome }: Done): TraceCall {
  const title = action.tool === 'Read' || action.tool === 'Edit' ? action.path : call.arguments;
  const tool = ({ Read: 'read', Edit: 'edit', Bash: 'bash', Grep: 'grep', Recall: 'grep' } as const)[
    action.tool
  ];
  return { tool, title, argumentTokens: 0, resultTokens: 0, failed: outcome.status === 'error' };
}
