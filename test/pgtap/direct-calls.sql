-- Direct calls and subscriptions: what they record, what they refuse, and who may make them.
begin;
select plan(46);

select function_privs_are('patchdiff', f.name, f.arguments, r.role, case when r.role = 'patchdiff_writer' then '{EXECUTE}'::text[] else '{}' end)
from (values
  ('commit_match', '{uuid,text,text,text,bigint,text,bigint,text,text,text,text,text,text,text,integer,text,json}'::text[]),
  ('commit_spans', '{uuid,json,text,bigint,text,text,text,integer,text,json}'),
  ('commit_replacement', '{uuid,text,text,bigint,text,text,text,integer,text,json}')
) as f (name, arguments)
cross join (values ('patchdiff_writer'), ('patchdiff_auditor'), ('public')) as r (role);
select function_privs_are('patchdiff', f.name, f.arguments, r.role, case when r.role = 'public' then '{}'::text[] else '{EXECUTE}' end)
from (values ('subscribe_commits', '{text,interval}'::text[]), ('unsubscribe_commits', '{text}')) as f (name, arguments)
cross join (values ('patchdiff_writer'), ('patchdiff_auditor'), ('public')) as r (role);

select is(patchdiff_store.number_json('p', n.sent), n.kept, 'the number ' || n.sent)
from (values
  ('0', '0'), ('-0', '0'), ('-0.0e5', '0'), ('5.0', '5'), ('1e2', '100'), ('-12', '-12'), ('0.1', '0.1'), ('9007199254740993', '9007199254740992'),
  ('1e21', '1e+21'), ('123456789012345678901234', '1.2345678901234569e+23'), ('23e21', '2.3e+22'),
  ('9223372036854775807', '9223372036854776000'), ('0.000001', '0.000001'), ('1.5e-7', '1.5e-7'), ('1e-400', '0')
) as n (sent, kept);
select is(patchdiff_store.canonical_json('p', ' { "b" : [ 1.0 , null , {} ] , "a\u0041" : "\u00e9\"\n" } '), '{"aA":"é\"\n","b":[1,null,{}]}', 'names sorted, no blanks');
select throws_ok($$select patchdiff_store.canonical_json('p', '{"a": 1, "\u0061": 2}')$$, 'PD100', null, 'a member twice');
select throws_ok($$select patchdiff_store.number_json('p', '1e400')$$, 'PD102', null, 'a number beyond every double');

do $$ begin perform patchdiff.create_target('00000000-0000-0000-0000-000000000001', 'doc', 'text'); end $$;
set local role patchdiff_writer;
select is(
  (select row(r.outcome, r.after_version, r.decided_by, r.warnings::text)::text
   from patchdiff.commit_match('00000000-0000-0000-0000-000000000001', 'ex', 'oas', 'i', 0) as r),
  row('accepted', 1::bigint, 'database', null::text)::text, 'a match'
);
select is(
  (select a.pdcp_content from patchdiff.read_attempts('00000000-0000-0000-0000-000000000001') as l, patchdiff.read_attempt(l.pdcp_log_id) as a),
  '{"edits":[{"match":"ex","replace":"oas"}],"expected_current_hash":null,"expected_target_version":0,"format":"patchdiff-tx/1","intent":"i",'
    '"target_file_id":"00000000-0000-0000-0000-000000000001"}',
  'its record leaves out what is null'
);
select is(
  (select row(r.outcome, r.after_version, r.warnings::text)::text from patchdiff.commit_spans(
    '00000000-0000-0000-0000-000000000001',
    '[{"start":0,"end":0,"expected_text":"","replace":"t"},{"op":"match","match":"t","occurrence_index":2,"replace":"T"}]', 'i', 1) as r),
  row('accepted', 2::bigint, '[{"code":"occurrence_index_basis_shift","change_id":"chg_002"}]')::text,
  'spans, with a match among them whose basis shifted'
);
select is(
  (select row(r.outcome, r.after_version)::text
   from patchdiff.commit_replacement('00000000-0000-0000-0000-000000000001', 'ttoast', 'i', 2) as r),
  row('accepted', 3::bigint)::text, 'a replacement'
);
select is(
  (select row(r.outcome, r.failure_code, r.after_version)::text
   from patchdiff.commit_match('00000000-0000-0000-0000-000000000001', 'gone', '', 'i', 3, p_client_request_id => 'k') as r),
  row('rejected', 'match_absent', 3::bigint)::text, 'a rejection is a row'
);
select ok(r.deduplicated, 'and its key recovers it')
from patchdiff.commit_match('00000000-0000-0000-0000-000000000001', 'gone', '', 'i', 3, p_client_request_id => 'k') as r;
select throws_ok($$select patchdiff.commit_spans('00000000-0000-0000-0000-000000000001', '{}', 'i', 3)$$, 'PD100', null, 'spans that are no array');
select throws_ok($$select patchdiff.commit_match(null, 'a', 'b', 'i', 3)$$, 'PD100', null, 'no target');
select is_empty($$select * from patchdiff_audit.verify_target('00000000-0000-0000-0000-000000000001')$$, 'the history holds');
select ok(patchdiff.subscribe_commits('tap') > now(), 'a writer subscribes');
select ok(patchdiff.unsubscribe_commits('tap'), 'and ends it');
set local role patchdiff_auditor;
select ok(patchdiff.subscribe_commits('tap', '1 minute') < now() + interval '2 minutes', 'an auditor subscribes');
select throws_ok($$select patchdiff.subscribe_commits('tap', '2 hours')$$, 'PD100', null, 'for an hour at most');
reset role;

select * from finish();
rollback;
