-- History edited by a superuser who has switched every guard off is found, and the finding names the place.
begin;
select plan(56);
create temporary table doc as
select r.target_file_id as id
from patchdiff.create_target(null, 'doc', e'añb\r\nsecond line\nthird€ line\n', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;

-- Submits matches on the target as it is, the way a caller does; answers the receipt.
create function pg_temp.submit(p_edits json, p_key text default null, p_parent text default null) returns patchdiff.commit_receipt language plpgsql as $$
declare
  v_head patchdiff.target_state := (select r from doc as d, patchdiff.read_target(d.id) as r);
  v_buffer bytea := convert_to(v_head.current_content, 'UTF8');
  v_starts integer[] := '{}';
  v_start integer;
  v_edit json;
  v_receipt patchdiff.commit_receipt;
begin
  for v_edit in select e.value from json_array_elements(p_edits) as e loop
    v_start := position(convert_to(v_edit ->> 'match', 'UTF8') in v_buffer) - 1;
    exit when v_start < 0;
    v_starts := v_starts || v_start;
    v_buffer := overlay(v_buffer placing convert_to(v_edit ->> 'replace', 'UTF8') from v_start + 1 for octet_length(v_edit ->> 'match'));
  end loop;
  v_receipt := patchdiff.commit_attempt(
    v_head.target_file_id,
    '{"edits":' || p_edits || ',"expected_current_hash":null,"expected_target_version":' || v_head.version
      || ',"format":"patchdiff-tx/1","intent":"why","target_file_id":"' || v_head.target_file_id || '"}',
    p_key, p_parent, null, null, '{"host":"test","agent":"robot"}', v_head.current_hash,
    case when v_start < 0 then 'rejected' else 'accepted' end, v_starts, encode(sha256(v_buffer), 'hex'),
    case when v_start < 0 then '{"failure_reason":"match_absent"}'::json end, null
  );
  return v_receipt;
end;
$$;

do $$
declare
  v_id uuid := (select d.id from doc as d);
  v_refused uuid;
  v_intent patchdiff.publication_receipt;
begin
  perform pg_temp.submit('[{"match":"ñb","replace":"XYZ"},{"match":"€","rationale":"more money","replace":"€€","risk":"high"}]', 'key-1');
  v_refused := (pg_temp.submit('[{"match":"nowhere","replace":""}]')).pdcp_log_id;
  perform patchdiff.save_target(v_id, p_client_request_id => 'save-1');
  perform pg_temp.submit('[{"match":"second","replace":"2nd"}]', null, v_refused::text);
  v_intent := (select patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash, null, h.current_hash, h.content_bytes, null, 'file-1', '[["lf", 3]]') from patchdiff.read_head(v_id) as h);
  perform patchdiff.record_publication(v_id, v_intent.publication_id, 'published', p_client_request_id => 'file-1');
  perform patchdiff.save_target(v_id, p_client_request_id => 'save-2');
  perform pg_temp.submit('[{"match":"third","replace":""}]');
  perform patchdiff_guard.guard_ddl(false);
end;
$$;
create temporary table noted as select c.* from doc as d, patchdiff_audit.chain_head(d.id) as c;
select is_empty('select f.* from doc as d, patchdiff_audit.verify_target(d.id) as f', 'untouched, it verifies');
select is_empty(
  'select f.* from doc as d, noted as n, patchdiff_audit.verify_target(d.id, n.chain_sequence, n.chain_head) as f', 'with its head noted too'
);

do $$
declare
  v_table text;
begin
  foreach v_table in array array[
    'append_only_pdcp_logs', 'append_only_manifest_ledger', 'target_snapshots', 'editing_cycles', 'workspace_publications', 'request_keys',
    'cloud_target_files', 'target_heads'
  ] loop
    execute format('alter table patchdiff_store.%I disable trigger all', v_table);
  end loop;
end;
$$;

-- Runs one edit of history, answers what verify_target finds as `table | row | column`, and undoes it.
create function pg_temp.found(p_edit text) returns text[] language plpgsql as $$
declare
  v_found text[];
begin
  begin
    execute p_edit;
    v_found := array(
      select concat_ws(' | ', f.table_name, regexp_replace(f.row_key, '^target_file_id=.*', 'row'), f.column_name)
      from doc as d, patchdiff_audit.verify_target(d.id) as f
    );
    raise exception using errcode = 'P0001', message = 'undo';
  exception
    when raise_exception then null;
  end;
  return v_found;
end;
$$;
create temporary table edit (named text, statement text);
insert into edit values
  ('append_only_pdcp_logs | log_sequence=1 | pdcp_content_hash', $$update patchdiff_store.append_only_pdcp_logs set pdcp_content = replace(pdcp_content, 'XYZ', 'XYQ')$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | derived_json', $$update patchdiff_store.append_only_pdcp_logs set pdcp_content = replace(pdcp_content, 'XYZ', 'XYQ')$$),
  ('append_only_pdcp_logs | log_sequence=3 | pdcp_content', $$update patchdiff_store.append_only_pdcp_logs set pdcp_content = 'no json' where log_sequence = 3$$),
  ('append_only_pdcp_logs | log_sequence=2 | row_hash', $$update patchdiff_store.append_only_pdcp_logs set failure_detail = 'x' where log_sequence = 2$$),
  ('append_only_pdcp_logs | log_sequence=2 | row_hash', $$update patchdiff_store.append_only_pdcp_logs set actor = '{"host":"other"}' where log_sequence = 2$$),
  ('append_only_pdcp_logs | log_sequence=2 | row_hash', $$update patchdiff_store.append_only_pdcp_logs set created_at = created_at - interval '1 microsecond' where log_sequence = 2$$),
  ('append_only_pdcp_logs | log_sequence=2 | hash_version', $$update patchdiff_store.append_only_pdcp_logs set hash_version = 3 where log_sequence = 2$$),
  ('append_only_pdcp_logs | log_sequence=3 | log_sequence', $$delete from patchdiff_store.append_only_pdcp_logs where log_sequence = 2$$),
  ('append_only_pdcp_logs | log_sequence=2 | before_version', $$delete from patchdiff_store.append_only_pdcp_logs where log_sequence = 1$$),
  ('target_heads | row | log_sequence', $$delete from patchdiff_store.append_only_pdcp_logs where log_sequence = 4$$),
  ('target_heads | row | chain_head', $$delete from patchdiff_store.append_only_pdcp_logs where log_sequence = 4$$),
  ('append_only_pdcp_logs | log_sequence=1 | change_count', $$delete from patchdiff_store.append_only_manifest_ledger where ledger_sequence = 2$$),
  ('append_only_manifest_ledger | ledger_sequence=3 | ledger_sequence', $$delete from patchdiff_store.append_only_manifest_ledger where ledger_sequence = 2$$),
  ('append_only_manifest_ledger | ledger_sequence=2 | start_byte', $$update patchdiff_store.append_only_manifest_ledger set start_byte = start_byte + 1 where ledger_sequence = 2$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | start_byte', $$update patchdiff_store.append_only_manifest_ledger set start_byte = 2 where ledger_sequence = 1$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | start_byte', $$update patchdiff_store.append_only_manifest_ledger set start_byte = 2147483647 where ledger_sequence = 1$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | intent', $$update patchdiff_store.append_only_manifest_ledger set intent = 'other' where ledger_sequence = 1$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | change_id', $$update patchdiff_store.append_only_manifest_ledger set change_id = 'other' where ledger_sequence = 1$$),
  ('append_only_manifest_ledger | ledger_sequence=2 | risk', $$update patchdiff_store.append_only_manifest_ledger set risk = 'low' where ledger_sequence = 2$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | derived_json', $$update patchdiff_store.append_only_manifest_ledger set derived_json = derived_json || '{"span_end": 9}' where ledger_sequence = 1$$),
  ('append_only_manifest_ledger | ledger_sequence=1 | derived_json', $$update patchdiff_store.append_only_manifest_ledger set derived_json = '{}' where ledger_sequence = 1$$),
  ('target_snapshots | snapshot_sequence=2 | content', $$update patchdiff_store.target_snapshots set content = content || 'x' where snapshot_sequence = 2$$),
  ('target_snapshots | snapshot_sequence=2 | content_hash', $$update patchdiff_store.target_snapshots set content = 'x', content_hash = encode(sha256('x'), 'hex') where snapshot_sequence = 2$$),
  ('target_snapshots | snapshot_sequence=3 | snapshot_sequence', $$delete from patchdiff_store.target_snapshots where snapshot_sequence = 2$$),
  ('request_keys | client_request_id=save-1 | save_receipt', $$delete from patchdiff_store.target_snapshots where snapshot_sequence = 2$$),
  ('editing_cycles | editing_cycle=2 | opened_at_version', $$update patchdiff_store.editing_cycles set opened_at_version = 0 where editing_cycle = 2$$),
  ('editing_cycles | editing_cycle=2 | editing_cycle', $$delete from patchdiff_store.editing_cycles where editing_cycle = 2$$),
  ('workspace_publications | publication_sequence=2 | written_sha256', $$update patchdiff_store.workspace_publications set written_sha256 = repeat('0', 64) where kind = 'published'$$),
  ('target_heads | row | publication_sequence', $$delete from patchdiff_store.workspace_publications where kind = 'published'$$),
  ('append_only_pdcp_logs | log_sequence=1 | client_request_id', $$delete from patchdiff_store.request_keys$$),
  ('request_keys | client_request_id=key-1 | log_sequence', $$update patchdiff_store.request_keys set request_fingerprint = 'x' where kind = 'submission'$$),
  ('target_snapshots | snapshot_sequence=2 | client_request_id', $$delete from patchdiff_store.request_keys where client_request_id = 'save-1'$$),
  ('target_snapshots | snapshot_sequence=3 | client_request_id', $$delete from patchdiff_store.request_keys where client_request_id = 'file-1'$$),
  ('workspace_publications | publication_sequence=2 | client_request_id', $$delete from patchdiff_store.request_keys where client_request_id = 'file-1'$$),
  ('target_snapshots | snapshot_sequence=2 | row_hash', $$update patchdiff_store.target_snapshots set client_request_id = 'other' where snapshot_sequence = 2$$),
  ('workspace_publications | publication_sequence=1 | row_hash', $$update patchdiff_store.workspace_publications set request_fingerprint = repeat('0', 64) where kind = 'intent'$$),
  ('request_keys | client_request_id=save-1 | request_fingerprint', $$update patchdiff_store.request_keys set request_fingerprint = repeat('0', 64) where client_request_id = 'save-1'$$),
  ('request_keys | client_request_id=file-1 | request_fingerprint', $$update patchdiff_store.request_keys set request_fingerprint = repeat('0', 64) where client_request_id = 'file-1'$$),
  ('request_keys | client_request_id=save-1 | save_receipt', $$update patchdiff_store.request_keys set save_receipt = jsonb_set(save_receipt::jsonb, '{version}', '9') where client_request_id = 'save-1'$$),
  ('request_keys | client_request_id=save-1 | save_receipt', $$update patchdiff_store.request_keys set save_receipt = jsonb_set(save_receipt::jsonb, '{outcome}', '"rejected"') where client_request_id = 'save-1'$$),
  ('request_keys | client_request_id=save-2 | save_receipt', $$update patchdiff_store.request_keys set save_receipt = jsonb_set(save_receipt::jsonb, '{current_hash}', '"x"') where client_request_id = 'save-2'$$),
  ('request_keys | client_request_id=file-1 | save_receipt', $$update patchdiff_store.request_keys set save_receipt = jsonb_set(save_receipt::jsonb, '{publication_id}', 'null') where client_request_id = 'file-1'$$),
  ('request_keys | client_request_id=forged | save_receipt', $$insert into patchdiff_store.request_keys select k.target_file_id, 'forged', k.kind, k.request_fingerprint, null, k.save_receipt, k.created_at from patchdiff_store.request_keys as k where k.client_request_id = 'save-1'$$),
  ('cloud_target_files | row | current_content', $$update patchdiff_store.cloud_target_files set current_content = current_content || 'x'$$),
  ('cloud_target_files | row | version', $$update patchdiff_store.cloud_target_files set version = 9$$),
  ('cloud_target_files | row', $$delete from patchdiff_store.cloud_target_files$$),
  ('target_heads | row', $$delete from patchdiff_store.target_heads$$);
select ok(e.named = any (pg_temp.found(e.statement)), e.named || ' after: ' || e.statement) from edit as e;

select throws_ok(format('select patchdiff_audit.verify_target(%L, %s)', d.id, n.noted), 'PD100', null, 'a noted head: ' || n.noted)
from doc as d, (values ('1, null'), ($$null, repeat('0', 64)$$), ($$1, 'x'$$)) as n (noted);
select is_empty(
  'select f.* from doc as d, noted as n, patchdiff_audit.verify_target(d.id, n.chain_sequence, upper(n.chain_head)) as f', 'a head noted in capitals'
);
select throws_ok('select patchdiff_audit.verify_target(gen_random_uuid())', 'PD104', null, 'an unknown target');

-- Whoever recomputes the chain is consistent with himself, and not with a head noted elsewhere.
do $$
declare
  v_link record;
  v_place bigint := 0;
  v_before bytea := (select patchdiff_store.genesis_hash(d.id) from doc as d);
begin
  update patchdiff_store.append_only_pdcp_logs set actor = '{"host":"innocent"}' where log_sequence = 2;
  delete from patchdiff_store.request_keys where kind = 'save';
  update patchdiff_store.target_snapshots set client_request_id = null, request_fingerprint = null;
  update patchdiff_store.workspace_publications set client_request_id = null, request_fingerprint = null;
  for v_link in
    select l.chain_sequence, 'log' as kind from patchdiff_store.append_only_pdcp_logs as l
    union all select s.chain_sequence, 'snapshot' from patchdiff_store.target_snapshots as s
    union all select p.chain_sequence, 'publication' from patchdiff_store.workspace_publications as p
    order by 1
  loop
    v_place := v_place + 1;
    if v_link.kind = 'log' then
      update patchdiff_store.append_only_pdcp_logs as l set chain_sequence = v_place where l.chain_sequence = v_link.chain_sequence;
      update patchdiff_store.append_only_pdcp_logs as l
      set prev_hash = v_before, row_hash = sha256(v_before || patchdiff_store.attempt_encoding(l) || coalesce((
        select string_agg(patchdiff_store.ledger_encoding(g), ''::bytea order by g.ledger_sequence)
        from patchdiff_store.append_only_manifest_ledger as g where g.log_sequence = l.log_sequence
      ), ''))
      where l.chain_sequence = v_place returning l.row_hash into v_before;
    elsif v_link.kind = 'snapshot' then
      update patchdiff_store.target_snapshots as s set chain_sequence = v_place where s.chain_sequence = v_link.chain_sequence;
      update patchdiff_store.target_snapshots as s
      set prev_hash = v_before,
          row_hash = sha256(v_before || patchdiff_store.snapshot_encoding(s) || patchdiff_store.creation_encoding(s))
      where s.chain_sequence = v_place returning s.row_hash into v_before;
    else
      update patchdiff_store.workspace_publications as p set chain_sequence = v_place where p.chain_sequence = v_link.chain_sequence;
      update patchdiff_store.workspace_publications as p
      set prev_hash = v_before, row_hash = sha256(v_before || patchdiff_store.publication_encoding(p))
      where p.chain_sequence = v_place returning p.row_hash into v_before;
    end if;
  end loop;
  update patchdiff_store.target_heads set chain_head = v_before, chain_sequence = v_place;
end;
$$;
select is_empty('select f.* from doc as d, patchdiff_audit.verify_target(d.id) as f', 'a recomputed chain is consistent');
select results_eq(
  'select f.table_name, f.column_name from doc as d, noted as n, patchdiff_audit.verify_target(d.id, n.chain_sequence, n.chain_head) as f',
  $$values ('target_heads', 'chain_head')$$, 'a noted head shows the rewriting'
);
select * from finish();
rollback;
