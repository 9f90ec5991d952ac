/**
 * Exports the agents' work as OpenTelemetry data. Loads the SDK after the first request is on its way, or when work ends
 * without one. Until then, and if loading fails, records wait in a bounded list.
 */
import type { AgentEvent } from '../protocol/events.ts';
import { EventMapper, type MapperPorts } from './EventMapper.ts';
import type { TelemetryRecord } from './records.ts';

/** Where records go: the SDK. */
export interface TelemetrySink {
  /** Returns a function that exports the records of one session. */
  open(): (records: readonly TelemetryRecord[]) => void;
  /** Sends everything recorded so far. May hang or reject. */
  flush(): Promise<void>;
}

interface TelemetryOptions {
  readonly load: () => Promise<TelemetrySink>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** The export of one session. */
export interface SessionTelemetry {
  /** A subscriber of the agent's events. */
  readonly handle: (event: AgentEvent) => void;
  /** Called when a request of the agent is on its way: there is time to load the SDK. */
  readonly underway: () => void;
  /** Ends what is open. With `waits`, sends everything, for at most `FLUSH_MS`. Never rejects. */
  readonly close: (waits: boolean) => Promise<void>;
}

export interface Telemetry {
  watch(ports: MapperPorts): SessionTelemetry;
}

/** Milliseconds that the end of the program waits for a collector. */
const FLUSH_MS = 2000;
/** Records that wait for the SDK; more are dropped. */
const MAX_WAITING = 5000;

export function createTelemetry({ load, now, onError }: TelemetryOptions): Telemetry {
  let sink: Promise<TelemetrySink | undefined> | undefined;
  const loaded = (): Promise<TelemetrySink | undefined> => {
    sink ??= load().catch((error) => {
      onError(error);
      return undefined;
    });
    return sink;
  };
  return {
    watch(ports) {
      const mapper = new EventMapper(ports);
      let waiting: TelemetryRecord[] = [];
      let write: ((records: readonly TelemetryRecord[]) => void) | undefined;
      let isLoading = false;
      const load = async (): Promise<TelemetrySink | undefined> => {
        isLoading = true;
        const to = await loaded();
        if (write !== undefined) return to;
        write = to?.open() ?? (() => undefined);
        write(waiting);
        waiting = [];
        return to;
      };
      const add = (records: readonly TelemetryRecord[]): void => {
        if (write !== undefined) write(records);
        else waiting.push(...records.slice(0, MAX_WAITING - waiting.length));
      };
      const underway = (): void => {
        if (!isLoading) void load().catch(onError);
      };
      return {
        underway,
        handle(event) {
          add(mapper.event(event, now()));
          if (event.type === 'turn_ended' || event.type === 'compaction_ended') underway();
        },
        async close(waits) {
          add(mapper.close(now()));
          if (!waits || (waiting.length === 0 && !isLoading)) return;
          const flush = async (): Promise<void> => (await load())?.flush();
          const timeout = new Promise<void>((done) => void setTimeout(done, FLUSH_MS).unref());
          await Promise.race([flush().catch(onError), timeout]);
        },
      };
    },
  };
}
