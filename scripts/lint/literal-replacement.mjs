import ts from 'typescript';

/** Every member of a union passes. */
const all = (type, holds) => (type.isUnion() ? type.types : [type]).every(holds);

/**
 * `text.replace(pattern, replacement)` reads `$&` and `$1` in a replacement that is a string. Text out of a document would be mangled,
 * so a replacement is a function, or a literal that its author wrote.
 */
export default {
  meta: {
    type: 'problem',
    schema: [],
    messages: { computed: 'Give {{method}} a literal or a function: a `$` in a computed replacement is read as a pattern.' },
  },
  create(context) {
    const { getTypeAtLocation } = context.sourceCode.parserServices;
    return {
      'CallExpression[callee.type="MemberExpression"][callee.property.name=/^replace(All)?$/][arguments.length=2]'(node) {
        const receiver = getTypeAtLocation(node.callee.object);
        if (!all(receiver, (type) => (type.flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any)) !== 0)) return;
        const replacement = getTypeAtLocation(node.arguments[1]);
        if (all(replacement, (type) => type.isStringLiteral() || type.getCallSignatures().length > 0)) return;
        context.report({ node: node.arguments[1], messageId: 'computed', data: { method: node.callee.property.name } });
      },
    };
  },
};
