/** Rebuilds the body of an earlier request exactly as it was sent, on any wire. Pure. */
import type { ModelRequest, SentRequest } from '../../protocol/models/model.ts';
import { efforts, reasoningOptions, thinkingDisplays } from '../../protocol/models/wires.ts';
import { count, list, record, text } from '../json.ts';
import { anthropicBody } from './anthropic/body.ts';
import { rebuildChatBody } from './chat/body.ts';
import type { SentDetails } from './createWireClient.ts';
import { responsesBody } from './responses/body.ts';

/** A log may come from a later version: unknown details are ignored. */
export function rebuildBody(request: ModelRequest, sent: SentRequest): string {
  switch (sent.wire) {
    case 'responses':
      return JSON.stringify(responsesBody(withSentOptions(request, sent), detailsIn(sent)));
    case 'anthropic':
      return JSON.stringify(anthropicBody(withSentOptions(request, sent), detailsIn(sent)));
    default:
      return rebuildChatBody(withSentOptions(request, sent), sent);
  }
}

/** The request with the options that were recorded when it was sent. */
function withSentOptions(request: ModelRequest, sent: SentRequest): ModelRequest {
  const effort = efforts.find((level) => level === sent.effort);
  const thinkingBudget =
    sent.thinkingBudget === 'adaptive' ? sent.thinkingBudget : count(sent.thinkingBudget);
  const thinkingDisplay = thinkingDisplays.find((display) => display === sent.thinkingDisplay);
  const [maxOutputTokens, stableMessages] = [count(sent.maxOutputTokens), count(sent.stableMessages)];
  return {
    ...request,
    // A named provider may have its own name for the model.
    ...(typeof sent.model === 'string' ? { model: sent.model } : {}),
    ...reasoningOptions({ effort, thinkingBudget, thinkingDisplay }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(stableMessages === undefined ? {} : { stableMessages }),
    ...(typeof sent.temperature === 'number' ? { temperature: sent.temperature } : {}),
  };
}

function detailsIn(sent: SentRequest): SentDetails {
  const form = record(sent.form);
  const limit = count(form.limit);
  const words = (value: unknown): string[] => list(value).flatMap((one) => text(one) ?? []);
  const thinking = (['adaptive', 'budget'] as const).find((kind) => kind === sent.thinking);
  return {
    origin: text(sent.origin) ?? '',
    form: { leftOut: words(form.leftOut), ...(limit === undefined ? {} : { limit }) },
    maxTokens: count(sent.maxTokens) ?? 0,
    ...(sent.efforts === undefined ? {} : { efforts: words(sent.efforts) }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(sent.extraBody === undefined ? {} : { extraBody: record(sent.extraBody) }),
  };
}
