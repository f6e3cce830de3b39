import { isEncodable } from '../text/index.ts';

/**
 * A text parameter that PostgreSQL text cannot hold. Node's UTF-8 encoder would turn a lone surrogate into U+FFFD
 * without a word and the server would store the wrong text, so such a value never reaches the driver.
 * It is misuse by our own code: a caller's text is judged before (`isEncodable`), not here.
 */
export class TextNotEncodableError extends Error {
  /** The statement's name. */
  readonly statement: string;
  /** 1-based position of the parameter. */
  readonly position: number;

  constructor(statement: string, position: number) {
    super(`parameter ${String(position)} of ${statement} holds a lone surrogate or a NUL`);
    this.name = 'TextNotEncodableError';
    this.statement = statement;
    this.position = position;
  }
}

/** What may be sent as a parameter. JSON goes as text that the caller encoded. */
export type SqlValue = string | number | boolean | null | readonly string[] | readonly number[];

/** Throws TextNotEncodableError for the first text, also inside an array, that is not well-formed or holds a NUL. */
export function guardText(statement: string, values: readonly SqlValue[]): void {
  values.forEach((value, index) => {
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const text of texts) {
      if (typeof text === 'string' && !isEncodable(text)) {
        throw new TextNotEncodableError(statement, index + 1);
      }
    }
  });
}
