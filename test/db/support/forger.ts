import type pg from 'pg';

/**
 * Computes the chain of a target anew over its rows as they are now, with the project's own encodings, and sets its head: what
 * somebody does who alters history and knows the format. Receipts under SAVE keys are made to name the new links.
 */
export async function rechain(client: pg.Client, target: string): Promise<void> {
  await client.query(`
    create or replace function pg_temp.rechain(p_target uuid) returns void language plpgsql as $$
    declare
      v_link record;
      v_place bigint := 0;
      v_hash bytea := patchdiff_store.genesis_hash(p_target);
      v_hashes text[] := '{}';
      v_olds bigint[] := '{}';
      v_named integer;
    begin
      for v_link in
        select l.chain_sequence, 'append_only_pdcp_logs' as kind from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = p_target
        union all select s.chain_sequence, 'target_snapshots' from patchdiff_store.target_snapshots as s where s.target_file_id = p_target
        union all select p.chain_sequence, 'workspace_publications' from patchdiff_store.workspace_publications as p where p.target_file_id = p_target
        union all select o.chain_sequence, 'scope_observations' from patchdiff_store.scope_observations as o where o.target_file_id = p_target
        union all select k.chain_sequence, 'request_keys' from patchdiff_store.request_keys as k where k.target_file_id = p_target and k.chain_sequence is not null
        order by 1
      loop
        v_place := v_place + 1;
        v_olds := v_olds || v_link.chain_sequence;
        if v_link.kind = 'request_keys' then
          -- The link that the receipt named, or the last one before it that is left.
          select count(*) into v_named from patchdiff_store.request_keys as k, unnest(v_olds) as o (old)
          where k.target_file_id = p_target and k.chain_sequence = v_link.chain_sequence
          and o.old <= (k.save_receipt ->> 'chain_sequence')::bigint;
          update patchdiff_store.request_keys as k
          set save_receipt = k.save_receipt::jsonb || jsonb_build_object('chain_sequence', v_named, 'chain_head', v_hashes[v_named])
          where k.target_file_id = p_target and k.chain_sequence = v_link.chain_sequence
          and k.save_receipt ->> 'chain_head' <> v_hashes[v_named];
        end if;
        execute format('update patchdiff_store.%I set chain_sequence = $3, prev_hash = $4 where target_file_id = $1 and chain_sequence = $2', v_link.kind)
        using p_target, v_link.chain_sequence, v_place, v_hash;
        v_hash := sha256(v_hash || case v_link.kind
          when 'append_only_pdcp_logs' then (
            select patchdiff_store.attempt_encoding(l) || patchdiff_store.import_encoding(l) || coalesce((
              select string_agg(patchdiff_store.ledger_encoding(g), ''::bytea order by g.ledger_sequence)
              from patchdiff_store.append_only_manifest_ledger as g
              where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
            ), '')
            from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = p_target and l.chain_sequence = v_place
          )
          when 'target_snapshots' then (
            select patchdiff_store.snapshot_encoding(s) || patchdiff_store.creation_encoding(s)
            from patchdiff_store.target_snapshots as s where s.target_file_id = p_target and s.chain_sequence = v_place
          )
          when 'workspace_publications' then (
            select patchdiff_store.publication_encoding(p)
            from patchdiff_store.workspace_publications as p where p.target_file_id = p_target and p.chain_sequence = v_place
          )
          when 'scope_observations' then (
            select patchdiff_store.observation_encoding(o) || (
              select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal)
              from patchdiff_store.observed_scopes as s
              where s.target_file_id = o.target_file_id and s.observation_sequence = o.observation_sequence
            )
            from patchdiff_store.scope_observations as o where o.target_file_id = p_target and o.chain_sequence = v_place
          )
          else (
            select patchdiff_store.key_encoding(k)
            from patchdiff_store.request_keys as k where k.target_file_id = p_target and k.chain_sequence = v_place
          )
        end);
        v_hashes := v_hashes || encode(v_hash, 'hex');
        execute format('update patchdiff_store.%I set row_hash = $3 where target_file_id = $1 and chain_sequence = $2', v_link.kind)
        using p_target, v_place, v_hash;
      end loop;
      -- Keys of before they were chained.
      update patchdiff_store.request_keys as k
      set save_receipt = k.save_receipt::jsonb || jsonb_build_object('chain_sequence', n.named, 'chain_head', v_hashes[n.named])
      from (
        select r.client_request_id, count(*) filter (where o.old <= (r.save_receipt ->> 'chain_sequence')::bigint)::integer as named
        from patchdiff_store.request_keys as r, unnest(v_olds) as o (old)
        where r.target_file_id = p_target and r.kind = 'save' and r.chain_sequence is null
        group by r.client_request_id
      ) as n
      where k.target_file_id = p_target and k.client_request_id = n.client_request_id;
      update patchdiff_store.target_heads as h set chain_head = v_hash, chain_sequence = v_place where h.target_file_id = p_target;
    end;
    $$`);
  await client.query('select pg_temp.rechain($1)', [target]);
}

/** Takes the newest attempt of a target away without a trace: row, ledger rows, key, content, head. */
export async function cutOff(client: pg.Client, target: string): Promise<void> {
  await client.query(`
    create or replace function pg_temp.cut_off(p_target uuid) returns void language plpgsql as $$
    declare
      v_row patchdiff_store.append_only_pdcp_logs;
      v_text text;
      v_count integer;
    begin
      select l.* into strict v_row from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = p_target order by l.log_sequence desc limit 1;
      v_text := patchdiff_store.reconstruct(p_target, v_row.before_version);
      delete from patchdiff_store.request_keys as k where k.target_file_id = p_target and k.log_sequence = v_row.log_sequence;
      delete from patchdiff_store.append_only_manifest_ledger as g where g.target_file_id = p_target and g.log_sequence = v_row.log_sequence;
      get diagnostics v_count = row_count;
      delete from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = p_target and l.log_sequence = v_row.log_sequence;
      update patchdiff_store.cloud_target_files as t
      set current_content = v_text, current_hash = v_row.before_hash, version = v_row.before_version,
          content_bytes = octet_length(v_text), content_chars = length(v_text)
      where t.target_file_id = p_target;
      update patchdiff_store.target_heads as h
      set log_sequence = h.log_sequence - 1, ledger_sequence = h.ledger_sequence - v_count, chain_sequence = h.chain_sequence - 1,
          chain_head = v_row.prev_hash, accepted_version = v_row.before_version, accepted_hash = v_row.before_hash
      where h.target_file_id = p_target;
    end;
    $$`);
  await client.query('select pg_temp.cut_off($1)', [target]);
}
