/**
 * Copies the UTF-16 units of a text into memory, from byte offset `at` (even). Reading them one by one with charCodeAt takes
 * thirty times as long, more than the search itself. It is a function of its argument all the same: nothing of the host is seen.
 */
export function copyUnits(text: string, memory: ArrayBuffer, at: number): void {
  // eslint-disable-next-line no-restricted-globals -- no other global hands over the units of a string at once
  Buffer.from(memory, at, text.length * 2).write(text, 'utf16le');
}

/** The bytes of a base64 text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  // eslint-disable-next-line no-restricted-globals -- atob is deprecated in its favour
  return new Uint8Array(Buffer.from(text, 'base64'));
}
