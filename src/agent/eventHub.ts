import type { AgentEvent, IdentifiedEvent } from '../protocol/events.ts';

export interface EventHub {
  emit(event: AgentEvent): void;
  subscribe(listener: (event: IdentifiedEvent) => void): () => void;
}

/**
 * Delivers each event of an agent to every subscriber in order; errors of one affect neither the turn nor the others.
 */
export function createEventHub(agentId: string, onError: (error: unknown) => void): EventHub {
  const listeners = new Set<(event: IdentifiedEvent) => void>();
  return {
    emit(event) {
      const identified: IdentifiedEvent = { ...event, agentId };
      for (const listener of [...listeners]) {
        try {
          listener(identified);
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
