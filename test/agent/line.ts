import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';

/** Formats an event as one short line with everything that a test can predict; without ids, times and sizes. */
export function line(event: AgentEvent): string {
  switch (event.type) {
    case 'entry':
      return `entry ${entryLine(event.entry)}`;
    case 'turn_started':
    case 'reply_discarded':
    case 'tasks_changed':
      return event.type;
    case 'turn_ended':
      return `turn_ended ${event.outcome} after ${event.steps}${event.error === undefined ? '' : ` (${event.error.kind})`}`;
    case 'step_started':
      return `step ${event.step}`;
    case 'text_delta':
    case 'reasoning_delta':
      return `${event.type} ${event.text}`;
    case 'tool_call_delta':
      return `tool_call_delta ${event.index} ${event.name} ${event.argumentsLength}`;
    case 'retrying':
      return `retrying ${event.attempt}/${event.maxAttempts} in ${event.delayMs} (${event.error.kind})`;
    case 'hook': {
      const { progress } = event;
      return progress.type === 'started'
        ? `hook started ${progress.name}`
        : `hook ended ${progress.run.name} ${progress.run.outcome}`;
    }
    case 'tool_started':
      return `tool_started ${event.callId} ${event.tool} "${event.title}"`;
    case 'tool_output':
      return `tool_output ${event.callId} ${event.text}`;
    case 'tool_ended':
      return `tool_ended ${event.callId}`;
    case 'subagent_changed':
      return `subagent ${event.status.id} step ${event.status.step}: ${event.status.doing}`;
    case 'subagent_entry':
      return `subagent ${event.id} entry ${entryLine(event.entry)}`;
    case 'permission_question':
      return `question ${event.question.id} for ${event.question.tool}: ${event.question.reason}`;
    case 'permission_answered':
      return `answered ${event.id} ${JSON.stringify(event.answer)}`;
    case 'queue_changed':
      return `queue [${event.queue.map((op) => op.text).join(', ')}]`;
    case 'queue_returned':
      return `returned [${event.prompts.map((op) => op.text).join(', ')}]`;
    case 'compaction_started':
      return `compaction_started ${event.trigger}`;
    case 'compaction_progress':
      return `compaction_progress ${event.characters}`;
    case 'compaction_ended':
      return `compaction_ended ${event.report.trigger} ${event.report.outcome}`;
    case 'compaction_previewed':
      return `compaction_previewed ${event.preview.outcome}`;
    case 'context_measured':
      return `measured for ${event.measure.model}`;
    case 'mode_changed':
      return `mode ${event.mode}`;
    case 'model_changed':
      return `model ${event.model.id}`;
    case 'sandbox_probed':
      return 'sandbox known';
    case 'rewind_ended':
      return `${event.report.type} ${event.report.outcome}: ${event.report.message}`;
    case 'notice':
      return `notice ${event.level}: ${event.text}`;
  }
}

/** Formats a log entry as one short line. */
export function entryLine(entry: JSONLEntry): string {
  const { tool, toolResult, message } = entry;
  if (tool !== undefined) return `tool_use ${tool.id} ${tool.name} ${JSON.stringify(tool.input)}`;
  if (toolResult !== undefined)
    return `tool_result ${toolResult.id} ${toolResult.status}: ${String(toolResult.output)}`;
  if (entry.isCompactSummary === true) return 'summary';
  const marks = [
    ...(message.interrupted === true ? [' interrupted'] : []),
    ...(message.failed === true ? [' failed'] : []),
  ].join('');
  const content = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  switch (entry.subtype) {
    case 'session_start':
    case 'mode':
    case 'nudge':
    case 'usage':
    case 'compact_boundary':
    case 'reduction':
      return [entry.subtype, ...(entry.subtype === 'mode' ? [String(entry.data?.mode)] : [])].join(' ');
    default:
      return `${entry.subtype ?? entry.type}${marks}${content === '' ? '' : `: ${content}`}`;
  }
}
