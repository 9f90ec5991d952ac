/** What comes out of tools and commands, on its way into the log and back: bounded when it arrives, recalled whole. */
import { resolve } from 'node:path';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { RecallAnswer, RecallRequest, ToolOutcome } from '../protocol/tools.ts';
import { recall } from './recall/recall.ts';
import { resultDraft, shellDraft } from './resultDrafts.ts';
import { type AdmissionOptions, type Admitted, admitOutput, limitsFor } from './results/admit.ts';
import { OutputFolder } from './results/OutputFolder.ts';
import { ResultShares } from './results/resultShares.ts';
import type { SessionParts } from './sessionParts.ts';
import type { ToolResultInput } from './types.ts';

export class Admission {
  readonly #parts: SessionParts;
  readonly #shares = new ResultShares();
  readonly #outputs: OutputFolder | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { deps, log } = parts;
    const { outputDir } = deps.settings.truncate;
    this.#outputs =
      outputDir === null
        ? undefined
        : new OutputFolder(resolve(deps.root, outputDir, log.sessionId), log.blobs);
  }

  /** Records the one result of a call; results of one reply share a budget. */
  async result({ call, outcome: raw, behind = [], ...facts }: ToolResultInput): Promise<JSONLEntry> {
    const { log, append, projection } = this.#parts;
    const { window } = projection.budget();
    const limits = this.#shares.limitsOfNext(log.entries(), this.#limits(), window);
    const outcome = log.clean(raw);
    const admitted = await admitOutput(outcome, limits, log.blobs, this.#options(call.name));
    const [entry] = await append([resultDraft(call, outcome, admitted, facts), ...behind]);
    if (entry === undefined) throw new Error(`The log of ${log.sessionId} gave no entry for a result.`);
    return entry;
  }

  /** Records a command that the user ran themselves. */
  async shell(typed: string, raw: ToolOutcome): Promise<JSONLEntry | undefined> {
    const { log, append } = this.#parts;
    const [command, outcome] = [log.clean(typed), log.clean(raw)];
    const [entry] = await append([shellDraft(command, outcome, await this.#whole(outcome))]);
    return entry;
  }

  /** What the session has seen, by pointer, range or search. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<RecallAnswer> {
    const { log } = this.#parts;
    return recall(request, log.seen(), log.blobs, signal, this.#limits());
  }

  #whole(outcome: ToolOutcome): Promise<Admitted> {
    return admitOutput(outcome, this.#limits(), this.#parts.log.blobs, this.#options('shell'));
  }

  #options(tool: string): AdmissionOptions {
    const { toolResultCompression, offload, truncate } = this.#parts.deps.settings;
    return {
      tool,
      offload: toolResultCompression ? offload : null,
      direction: truncate.direction,
      outputs: this.#outputs,
    };
  }

  #limits(): ReturnType<typeof limitsFor> {
    const { deps, projection } = this.#parts;
    return limitsFor(deps.settings.truncate, projection.budget().window);
  }
}
