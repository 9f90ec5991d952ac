/**
 * Maps the events of an agent to telemetry records; time is an argument. Owns the state of running operations: the turn,
 * its tool calls, its subagents, a compaction. Records contain conversation text only with `contentOf`.
 */
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent, CompactionReport } from '../protocol/events.ts';
import { contentText } from '../protocol/messages.ts';
import {
  callFailures,
  type EntryUsage,
  errorAttribute,
  isSubagentTotal,
  messagesOf,
  shortened,
  usageAttributes,
  withoutSession,
} from './attributes.ts';
import type { Attributes, MetricName, TelemetryRecord } from './records.ts';

export interface MapperPorts {
  /** The session's id and current model, by its full name. */
  readonly session: () => { readonly id: string; readonly model: string };
  /** The attributes `gen_ai.provider.name`, `server.address` and `server.port` of a model's endpoint. */
  readonly endpointOf: (model: string) => Attributes;
  /** US dollars; undefined if a price is unknown. */
  readonly costUsd: (model: string, usage: EntryUsage) => number | undefined;
  /** Turns a text of the conversation into what is exported of it; absent = no such text is exported. */
  readonly contentOf?: ((text: string) => string) | undefined;
}

/** A turn, or the whole run of a subagent. */
interface Run {
  readonly key: string;
  readonly agent: string;
  readonly startedAtMs: number;
  /** When the current model request began; undefined between requests. */
  requestedAtMs: number | undefined;
  retries: number;
  inputTokens: number;
  outputTokens: number;
  /** Calls without a result, by id; with the key of their span once they run. */
  readonly calls: Map<string, { readonly name: string; readonly input: unknown; key?: string }>;
  prompt: string;
  reply: string;
}

export class EventMapper {
  readonly #ports: MapperPorts;
  readonly #subagents = new Map<string, Run>();
  #turn: Run | undefined;
  /** The key of the span. */
  #compaction: string | undefined;
  #records: TelemetryRecord[] = [];
  #serial = 0;

  constructor(ports: MapperPorts) {
    this.#ports = ports;
  }

  event(event: AgentEvent, nowMs: number): readonly TelemetryRecord[] {
    this.#take(event, nowMs);
    return this.#drain();
  }

  /** Ends all open spans. */
  close(nowMs: number): readonly TelemetryRecord[] {
    if (this.#compaction !== undefined) this.#end(this.#compaction, nowMs, {}, 'interrupted');
    this.#compaction = undefined;
    for (const run of this.#subagents.values()) this.#endRun(run, nowMs, { outcome: 'interrupted' });
    this.#subagents.clear();
    if (this.#turn !== undefined) this.#endRun(this.#turn, nowMs, { outcome: 'interrupted' });
    this.#turn = undefined;
    return this.#drain();
  }

  #take(event: AgentEvent, nowMs: number): void {
    switch (event.type) {
      case 'turn_started':
        this.#turn = this.#startRun('clawdcode', nowMs);
        return;
      case 'turn_ended':
        this.#endTurn(event, nowMs);
        return;
      case 'step_started':
        if (this.#turn !== undefined) this.#turn.requestedAtMs = nowMs;
        return;
      case 'retrying':
        if (this.#turn !== undefined) this.#turn.retries = event.attempt;
        return;
      case 'tool_started':
        this.#toolStarted(event.callId, nowMs);
        return;
      case 'entry':
        this.#entry(this.#turn, event.entry, nowMs);
        return;
      case 'subagent_changed':
        this.#subagentChanged(event.status, nowMs);
        return;
      case 'subagent_entry':
        this.#subagentEntry(event, nowMs);
        return;
      case 'compaction_started':
        this.#compaction = this.#start('compact_context', nowMs, this.#about('compact_context'), this.#turn);
        return;
      case 'compaction_ended':
        this.#endCompaction(event.report, nowMs);
        return;
      // Live text, questions, and what only a screen needs.
      case 'text_delta':
      case 'reasoning_delta':
      case 'tool_call_delta':
      case 'reply_discarded':
      case 'tool_output':
      case 'tool_ended':
      case 'permission_question':
      case 'permission_answered':
      case 'hook':
      case 'queue_changed':
      case 'queue_returned':
      case 'compaction_progress':
      case 'compaction_previewed':
      case 'rewind_ended':
      case 'context_measured':
      case 'mode_changed':
      case 'tasks_changed':
      case 'model_changed':
      case 'sandbox_probed':
      case 'notice':
        return;
      default:
        event satisfies never;
    }
  }

  #endTurn({ outcome, steps, error }: Extract<AgentEvent, { type: 'turn_ended' }>, nowMs: number): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    const { model } = this.#ports.session();
    if (turn.requestedAtMs !== undefined && error !== undefined)
      this.#addRequest(turn, nowMs, model, {}, error.kind);
    this.#endRun(turn, nowMs, { outcome, steps, failure: error?.kind });
    this.#turn = undefined;
  }

  /** The user's own commands have no call, and no span. */
  #toolStarted(callId: string, nowMs: number): void {
    const call = this.#turn?.calls.get(callId);
    if (this.#turn !== undefined && call !== undefined)
      call.key = this.#startCall(this.#turn, callId, call.name, nowMs);
  }

  #entry(run: Run | undefined, entry: JSONLEntry, nowMs: number): void {
    const { usage, model = this.#ports.session().model, content } = entry.message;
    if (usage !== undefined && !isSubagentTotal(entry)) this.#spend(usage, model);
    if (run === undefined) return;
    if (entry.type === 'assistant') this.#reply(run, entry, nowMs);
    else if (entry.subtype === 'prompt') run.prompt = contentText(content, '');
    else if (entry.tool !== undefined) {
      const { id, name, input } = entry.tool;
      run.calls.set(id, { name, input });
    } else if (entry.toolResult !== undefined) this.#endCall(run, entry.toolResult, nowMs);
  }

  /** The first of these events comes while the call that starts the subagent runs. */
  #subagentChanged(
    { id, agent, callId }: Extract<AgentEvent, { type: 'subagent_changed' }>['status'],
    nowMs: number,
  ): void {
    const call = this.#turn?.calls.get(callId);
    if (call?.key === undefined || this.#subagents.has(id)) return;
    const run = this.#startRun(agent, nowMs, { parent: call.key, id });
    this.#subagents.set(id, run);
  }

  #subagentEntry({ id, entry }: Extract<AgentEvent, { type: 'subagent_entry' }>, nowMs: number): void {
    const run = this.#subagents.get(id);
    this.#entry(run, entry, nowMs);
    if (run === undefined || entry.subtype !== 'turn_end') return;
    const { outcome = 'done', steps } = entry.data ?? {};
    this.#endRun(run, nowMs, { outcome, steps });
    this.#subagents.delete(id);
  }

  /** A compaction that is undone, or refused at once, ends without a start. */
  #endCompaction({ outcome, trigger, preTokens, postTokens }: CompactionReport, nowMs: number): void {
    if (this.#compaction === undefined) return;
    const attributes = {
      'clawdcode.compaction.trigger': trigger,
      'clawdcode.compaction.outcome': outcome,
    };
    const sizes = {
      'clawdcode.compaction.tokens_before': preTokens,
      'clawdcode.compaction.tokens_after': postTokens,
    };
    this.#end(this.#compaction, nowMs, { ...attributes, ...sizes });
    this.#compaction = undefined;
    this.#measure('clawdcode.compaction.count', 1, attributes);
  }

  #startRun(agent: string, nowMs: number, { parent, id }: { parent?: string; id?: string } = {}): Run {
    const name = shortened(agent);
    const attributes = {
      ...this.#about('invoke_agent'),
      'gen_ai.agent.name': name,
      ...(id === undefined ? {} : { 'gen_ai.agent.id': id }),
    };
    const above = parent === undefined ? undefined : { key: parent };
    const key = this.#start(`invoke_agent ${name}`, nowMs, attributes, above);
    const nothingYet = { requestedAtMs: undefined, retries: 0, inputTokens: 0, outputTokens: 0 };
    return { key, agent: name, startedAtMs: nowMs, ...nothingYet, calls: new Map(), prompt: '', reply: '' };
  }

  #endRun(
    run: Run,
    nowMs: number,
    {
      outcome,
      steps,
      failure = outcome === 'failed' ? '_OTHER' : undefined,
    }: { outcome: string; steps?: number | undefined; failure?: string | undefined },
  ): void {
    for (const { key } of run.calls.values()) if (key !== undefined) this.#end(key, nowMs, {}, 'interrupted');
    const attributes = {
      'gen_ai.usage.input_tokens': run.inputTokens,
      'gen_ai.usage.output_tokens': run.outputTokens,
      'clawdcode.turn.outcome': outcome,
      ...(steps === undefined ? {} : { 'clawdcode.turn.steps': steps }),
      ...this.#content(
        'gen_ai.input.messages',
        () => run.prompt,
        (text) => messagesOf('user', text),
      ),
      ...this.#content(
        'gen_ai.output.messages',
        () => run.reply,
        (text) => messagesOf('assistant', text),
      ),
    };
    this.#end(run.key, nowMs, attributes, failure);
    this.#measure('gen_ai.invoke_agent.duration', (nowMs - run.startedAtMs) / 1000, {
      ...withoutSession(this.#about('invoke_agent')),
      'gen_ai.agent.name': run.agent,
      ...errorAttribute(failure),
    });
  }

  #reply(run: Run, { message }: JSONLEntry, nowMs: number): void {
    const { usage, finishReason, durationMs, interrupted, failed, content } = message;
    if (durationMs !== undefined) run.requestedAtMs = nowMs - durationMs;
    run.inputTokens += usage?.input_tokens ?? 0;
    run.outputTokens += usage?.output_tokens ?? 0;
    const text = contentText(content, '');
    if (text !== '') run.reply = text;
    const attributes = {
      ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
      ...(usage === undefined ? {} : usageAttributes(usage)),
      ...this.#content(
        'gen_ai.output.messages',
        () => text,
        (one) => messagesOf('assistant', one, finishReason),
      ),
    };
    const failure = failed === true ? '_OTHER' : interrupted === true ? 'interrupted' : undefined;
    this.#addRequest(run, nowMs, message.model ?? this.#ports.session().model, attributes, failure);
  }

  #addRequest(run: Run, nowMs: number, model: string, attributes: Attributes, failure?: string): void {
    const { requestedAtMs = nowMs, retries } = run;
    const asked = this.#about('chat', model);
    const key = this.#start(`chat ${shortened(model)}`, requestedAtMs, asked, run, 'client');
    const retried = retries > 0 ? { 'clawdcode.retries': retries } : {};
    this.#end(key, nowMs, { ...attributes, ...retried }, failure);
    const measured = { ...withoutSession(asked), ...errorAttribute(failure) };
    this.#measure('gen_ai.client.operation.duration', (nowMs - requestedAtMs) / 1000, measured);
    run.requestedAtMs = undefined;
    run.retries = 0;
  }

  /** Tokens and cost of any request, including those without a span: titles, summaries, judgements. */
  #spend(usage: EntryUsage, model: string): void {
    const attributes = withoutSession(this.#about('chat', model));
    const add = (type: 'input' | 'output', tokens: number): void =>
      this.#measure('gen_ai.client.token.usage', tokens, { ...attributes, 'gen_ai.token.type': type });
    add('input', usage.input_tokens);
    add('output', usage.output_tokens);
    const usd = this.#ports.costUsd(model, usage);
    if (usd !== undefined && usd > 0) this.#measure('clawdcode.cost.usage', usd, attributes);
  }

  #startCall(run: Run, callId: string, name: string, atMs: number): string {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': this.#ports.session().id,
      'gen_ai.tool.name': shortened(name),
      'gen_ai.tool.call.id': shortened(callId),
      'gen_ai.tool.type': name.startsWith('mcp__') ? 'extension' : 'function',
    };
    return this.#start(`execute_tool ${shortened(name)}`, atMs, attributes, run);
  }

  #endCall(run: Run, result: NonNullable<JSONLEntry['toolResult']>, nowMs: number): void {
    const { id, status = 'ok', durationMs = 0, output } = result;
    const call = run.calls.get(id);
    run.calls.delete(id);
    const name = call?.name ?? result.name ?? 'unknown';
    const failure = callFailures[status];
    // Calls of subagents, and calls that never ran, have no span yet.
    const key = call?.key ?? this.#startCall(run, id, name, nowMs - durationMs);
    const content = {
      ...this.#content('gen_ai.tool.call.arguments', () => JSON.stringify(call?.input)),
      ...this.#content('gen_ai.tool.call.result', () =>
        typeof output === 'string' ? output : JSON.stringify(output),
      ),
    };
    this.#end(key, nowMs, content, failure);
    this.#measure('gen_ai.execute_tool.duration', durationMs / 1000, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': shortened(name),
      ...errorAttribute(failure),
    });
  }

  /** The attributes of every span of an operation. */
  #about(operation: string, model = this.#ports.session().model): Attributes {
    return {
      'gen_ai.operation.name': operation,
      'gen_ai.conversation.id': this.#ports.session().id,
      'gen_ai.request.model': shortened(model),
      ...this.#ports.endpointOf(model),
    };
  }

  /** Text of the conversation, if it is exported at all; `wrap` gets the text as it may be exported. */
  #content(name: string, text: () => string | undefined, wrap = (exported: string) => exported): Attributes {
    const { contentOf } = this.#ports;
    const value = contentOf === undefined ? undefined : text();
    if (contentOf === undefined || value === undefined || value === '') return {};
    return { [name]: wrap(contentOf(value)) };
  }

  #start(
    name: string,
    atMs: number,
    attributes: Attributes,
    above: Pick<Run, 'key'> | undefined,
    kind: 'client' | 'internal' = 'internal',
  ): string {
    const key = String(++this.#serial);
    const parent = above === undefined ? {} : { parent: above.key };
    this.#records.push({ type: 'span_started', key, ...parent, name, kind, atMs, attributes });
    return key;
  }

  #end(key: string, atMs: number, attributes: Attributes, error?: string): void {
    const failed = error === undefined ? {} : { error };
    this.#records.push({ type: 'span_ended', key, atMs, attributes, ...failed });
  }

  #measure(metric: MetricName, value: number, attributes: Attributes): void {
    this.#records.push({ type: 'measured', metric, value, attributes });
  }

  #drain(): readonly TelemetryRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }
}
