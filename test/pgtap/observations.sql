-- Observations: what the database makes of a parser's words, and what it refuses. Everything as a writer, who may do nothing else.
begin;
select plan(49);
create temporary table doc as
select r.target_file_id as id, r.current_hash as hash from patchdiff.create_target(null, 'doc', e'é one\ntwo\nthree') as r;
create temporary table other as select r.target_file_id as id, r.current_hash as hash from patchdiff.create_target(null, 'other', 'x y') as r;
create function pg_temp.observe(p_scopes json, p_version bigint default 0, p_grammar json default '{"name":"g","version":"1","sha256":null}', out o record)
language sql as $$
  select r from doc as d, patchdiff.observe_scopes(d.id, p_version, d.hash, 'rust', p_grammar, false, p_scopes, '{"host":"t"}') as r
$$;
create function pg_temp.refused(p_scopes json, p_says text, p_grammar json default '{"name":"g","version":"1","sha256":null}') returns text language sql as $$
  select throws_ok(format($q$select pg_temp.observe(%L, 0, %L)$q$, p_scopes, p_grammar), 'PD100', null, p_says)
$$;
grant select on doc, other to patchdiff_writer;
set local role patchdiff_writer;
create temporary table seen as
select r.* from doc as d, patchdiff.observe_scopes(d.id, 0, d.hash, 'rust', '{"name":"g","version":"1","sha256":null}', true,
  '[{"kind":"line","name":"two","qualified_path":"x > two","start":6,"end":10},{"kind":"word","name":"é","qualified_path":"é","start":0,"end":1}]', '{"host":"t"}') as r;
select results_eq('select outcome, version, editing_cycle, chain_sequence from seen', $$values ('observed', 0::bigint, 1, 2::bigint)$$, 'observed, in the chain');
select is((select s.scopes -> 0 ->> 'text' from seen as s), e'two\n', 'the text is cut by the database');
select is((select s.scopes -> 0 ->> 'sha256' from seen as s), encode(sha256(e'two\n'), 'hex'), 'and hashed');
select is((select (s.scopes #>> '{0,first_line}') || (s.scopes #>> '{0,last_line}') from seen as s), '22', 'a line end belongs to the line it ends');
select is((select s.scopes -> 1 ->> 'text' from seen as s), 'é', 'positions are code points');
select is(
  (select s.scopes -> 0 ->> 'scope_id' from seen as s),
  (select left(encode(sha256(convert_to(format('{"content_hash":"%s","end":10,"grammar":"g@1","kind":"line","start":6,"target_file_id":"%s"}', d.hash, d.id), 'UTF8')), 'hex'), 32) from doc as d),
  'the id is the digest that the contract says');
select results_eq('select r.bundle_id, r.version, r.language, r.scopes::jsonb from doc as d, seen as s, patchdiff.read_observation(d.id, s.bundle_id) as r',
  'select bundle_id, version, ''rust''::text, scopes::jsonb from seen', 'and read again');
select is_empty('select r.* from other as o, seen as s, patchdiff.read_observation(o.id, s.bundle_id) as r', 'not by another target');
select results_eq('select kind, scope_text, has_errors, actor_host from patchdiff_audit.observations order by ordinal',
  $$values ('line', e'two\n', true, 't'), ('word', 'é', true, 't')$$, 'shown to whoever audits');
select is((select r.outcome from doc as d, patchdiff.observe_scopes(d.id, 1, d.hash, null, '{"name":"g","version":"1","sha256":null}', false, '[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]') as r), 'stale', 'another version is stale');
select is((select r.outcome from doc as d, patchdiff.observe_scopes(d.id, 0, repeat('0', 64), null, '{"name":"g","version":"1","sha256":null}', false, '[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]') as r), 'stale', 'another hash too');
select is((select r.outcome from patchdiff.observe_scopes(gen_random_uuid(), 0, repeat('0', 64), null, '{"name":"g","version":"1","sha256":null}', false, '[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]') as r), 'not_found', 'no such target');
select pg_temp.refused('[]', 'no scope');
select pg_temp.refused('{}', 'no array');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":99}]', 'a range beyond the end');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":1,"end":1}]', 'an empty range');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":-1,"end":1}]', 'a negative place');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0.5,"end":1}]', 'a place that is no integer');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":1},{"kind":"k","name":"x","qualified_path":"x","start":0,"end":1}]', 'one scope twice');
select pg_temp.refused('[{"kind":"","name":"","qualified_path":"","start":0,"end":1}]', 'a kind without a letter');
select pg_temp.refused('[{"kind":"k","name":"\u0000","qualified_path":"","start":0,"end":1}]', 'text that cannot be stored');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":1,"text":"forged"}]', 'a text of the caller''s own');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]', 'a grammar without a version', '{"name":"g","sha256":null}');
select pg_temp.refused('[5]', 'a scope that is no object');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":1.0,"end":2}]', 'a number with a fraction of nothing');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":9e18}]', 'an end that no text has');
select pg_temp.refused('[{"kind":"k","name":"\ud800","qualified_path":"","start":0,"end":1}]', 'half a character');
select pg_temp.refused('[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]', 'a grammar that is a number', '5');
select pg_temp.refused(format('[{"kind":"%s","name":"","qualified_path":"","start":0,"end":1}]', repeat('k', 65))::json, 'a kind too long');
select pg_temp.refused(format('[{"kind":"k","name":"%s","qualified_path":"","start":0,"end":1}]', repeat('é', 513))::json, 'a name too long');
select pg_temp.refused(format('[{"kind":"k","name":"","qualified_path":"%s","start":0,"end":1}]', repeat('é', 4097))::json, 'a path too long');
create function pg_temp.many(p_count integer) returns json language sql as $$
  select json_agg(json_build_object('kind', 'k' || i, 'name', '', 'qualified_path', '', 'start', 0, 'end', 1)) from generate_series(1, p_count) as i
$$;
select pg_temp.refused(pg_temp.many(201), '201 scopes');
select throws_ok(format(
  $q$select patchdiff.observe_scopes(%L, 0, %L, null, '{"name":"g","version":"1","sha256":null}', false, '[{"kind":"k","name":"","qualified_path":"","start":0,"end":1048577}]')$q$,
  l.target_file_id, l.current_hash), 'PD100', null, 'more text than an observation holds')
from patchdiff.create_target(null, 'long', repeat('a', 1048577)) as l;
select throws_ok($$insert into patchdiff_store.scope_observations select o.* from patchdiff_store.scope_observations as o$$, '42501', null, 'no row of one''s own');
select throws_ok($$insert into patchdiff_store.observed_scopes select s.* from patchdiff_store.observed_scopes as s$$, '42501', null, 'no scope of one''s own');
select throws_ok($$update patchdiff_store.observed_scopes set scope_text = 'x'$$, '42501', null, 'no change of one''s own');
select throws_ok(format('delete from patchdiff_store.%I', t.name), '42501', null, 'no removal from ' || t.name) from (values ('scope_observations'), ('observed_scopes')) as t (name);
select throws_ok('select patchdiff_store.append_observation(null, null, null, null)', '42501', null, 'the helper that writes is nobody''s');
reset role;
select throws_ok($$update patchdiff_store.observed_scopes set scope_text = 'x'$$, 'PD001', null, 'nobody changes an observed scope');
select throws_ok($$delete from patchdiff_store.scope_observations$$, 'PD001', null, 'or takes away an observation');
update patchdiff_store.cloud_target_files set current_content = 'damaged' where target_file_id = (select id from other);
set local role patchdiff_writer;
select is((select r.outcome from other as o, patchdiff.observe_scopes(o.id, 0, o.hash, null, '{"name":"g","version":"1","sha256":null}', false, '[{"kind":"k","name":"","qualified_path":"","start":0,"end":1}]') as r), 'diverged', 'damaged content is not observed');
reset role;
select is((select count(*)::integer from patchdiff_store.scope_observations), 1, 'what was refused left no row');
set local role patchdiff_writer;
select is(to_json(pg_temp.observe(pg_temp.many(200))) ->> 'outcome', 'observed', '200 scopes');
reset role;
select is_empty('select f.* from doc as d, patchdiff_audit.verify_target(d.id) as f', 'nothing contradicts another');

-- A superuser who edits and then recomputes the chain contradicts the text that was observed; what was the caller's word needs a noted head.
create temporary table noted as select h.* from doc as d, patchdiff_audit.chain_head(d.id) as h;
create function pg_temp.forged(p_edit text) returns text[] language plpgsql as $$
declare
  v_found text[];
begin
  perform patchdiff_guard.guard_ddl(false);
  alter table patchdiff_store.scope_observations disable trigger user;
  alter table patchdiff_store.observed_scopes disable trigger user;
  begin
    execute p_edit;
    update patchdiff_store.scope_observations as o
    set row_hash = sha256(o.prev_hash || patchdiff_store.observation_encoding(o) || (
      select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal)
      from patchdiff_store.observed_scopes as s where s.observation_sequence = o.observation_sequence
    ))
    where o.observation_sequence = 2;
    update patchdiff_store.target_heads as h set chain_head = o.row_hash
    from patchdiff_store.scope_observations as o where o.observation_sequence = 2 and o.target_file_id = h.target_file_id;
    v_found := array(
      select distinct concat_ws(' ', f.table_name, f.column_name, f.problem)
      from doc as d, noted as n, patchdiff_audit.verify_target(d.id, n.chain_sequence, n.chain_head) as f order by 1
    );
    raise exception using errcode = 'U0001';
  exception
    when sqlstate 'U0001' then null;
  end;
  return v_found;
end;
$$;
select is(pg_temp.forged('select'), '{}', 'nothing edited, nothing found');
select ok('observed_scopes scope_text not what the text of the version gives' = any (pg_temp.forged(
  $q$update patchdiff_store.observed_scopes set scope_text = 'x', scope_sha256 = encode(sha256('x'), 'hex') where scope_sequence = 5$q$)), 'another text with its own digest');
select ok('observed_scopes scope_id not what the text of the version gives' = any (pg_temp.forged(
  $q$update patchdiff_store.observed_scopes set kind = 'other' where scope_sequence = 5$q$)), 'a kind is bound by the id');
select matches(array_to_string(pg_temp.forged($q$update patchdiff_store.observed_scopes set name = 'innocent' where scope_sequence = 5$q$), ';'),
  '^target_heads chain_head [^;]*$', 'a name by the head that was noted alone');
select * from finish();
rollback;
