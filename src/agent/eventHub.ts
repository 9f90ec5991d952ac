import type { AgentEvent } from '../protocol/events.ts';

export interface EventHub {
  emit(event: AgentEvent): void;
  subscribe(listener: (event: AgentEvent) => void): () => void;
}

/** Hands each event to every subscriber in order; one that throws neither stops the turn nor the others. */
export function createEventHub(onError: (error: unknown) => void): EventHub {
  const listeners = new Set<(event: AgentEvent) => void>();
  return {
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
