import { describe, expect, test } from 'vitest';
import { CachedContent, ContentCache } from '../../src/service/common/content-cache.ts';

const content = (version: number, chars = 1000): CachedContent => new CachedContent(version, `hash-${version}`, 'x'.repeat(chars));

describe('the content cache', () => {
  test('keeps the newest version and the one before it', () => {
    const cache = new ContentCache(1e6);
    cache.put('a', content(1));
    cache.put('a', content(2));
    cache.put('a', content(1));
    expect([cache.get('a')?.version, cache.previous('a')?.version]).toEqual([2, 1]);
  });

  test('believes what comes from under the lock, even when it is older', () => {
    const cache = new ContentCache(1e6);
    cache.put('a', content(5));
    cache.replace('a', content(3));
    expect(cache.get('a')?.version).toBe(3);
  });

  test('lets the least recently used targets go first, by bytes', () => {
    const cache = new ContentCache(3 * content(0).bytes);
    for (const id of ['a', 'b', 'c']) cache.put(id, content(0));
    cache.get('a');
    cache.put('d', content(0));
    expect(['a', 'b', 'c', 'd'].map((id) => cache.get(id) !== null)).toEqual([true, false, true, true]);
  });

  test('does not keep what is larger than its bound, and forgets the older version then', () => {
    const cache = new ContentCache(5000);
    cache.put('a', content(1));
    cache.put('a', content(2, 1e6));
    expect(cache.get('a')).toBeNull();
  });

  test('counts bytes back to nothing', () => {
    const cache = new ContentCache(2 * content(0).bytes);
    for (let version = 0; version < 100; version += 1) cache.put('a', content(version));
    cache.drop('a');
    cache.put('b', content(0));
    cache.put('c', content(0));
    expect([cache.get('b') !== null, cache.get('c') !== null]).toEqual([true, true]);
  });
});
