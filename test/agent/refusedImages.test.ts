import { expect, test } from 'vitest';
import { refusesImages } from '../../src/agent/turn.ts';
import type { ModelErrorKind, ModelRequest } from '../../src/protocol/models/model.ts';

const request = (content: ModelRequest['messages'][number]['content']): ModelRequest => ({
  model: 'm',
  tools: [],
  messages: [{ role: 'user', content: content as string }],
});
const shown = request([
  { type: 'text', text: 'look' },
  { type: 'image', mediaType: 'image/png', data: 'iVBO' },
] as never);
const error = (message: string, kind: ModelErrorKind = 'bad_request') => ({
  kind,
  message,
  retryable: false,
});

test.each([
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  'm is not a multimodal model',
  'Failed to deserialize the JSON body: messages[1]: unknown variant `image_url`, expected `text`',
  "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)], content must be a string",
  'Vision add-on is not loaded, but images were provided for processing',
  'Could not process image',
  'Invalid content type. image_url is only supported by certain models.',
  'No endpoints found that support image input',
])('the server error %j means that the image was rejected', (message) => {
  expect(refusesImages(error(message), shown)).toBe(true);
  expect(refusesImages(error(message), request('no image in it')), 'but not where there is none').toBe(false);
  expect(refusesImages(error(message, 'rate_limit'), shown)).toBe(false);
});

test.each(['temperature is not supported', 'max_tokens is too large', 'The server answered 400.'])(
  'the server error %j does not mean that an image was rejected',
  (message) => {
    expect(refusesImages(error(message), shown)).toBe(false);
  },
);
