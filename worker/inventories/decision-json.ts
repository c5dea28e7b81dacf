import { isSaidOfFinding, isStatedOfFinding } from '../schema/decisions'

export const decisionsJson = `(SELECT json_group_array(json_object('author', d.author, 'status', d.verdict, 'justification', d.justification,
  'note', d.note, 'fix', d.fix, 'owner', d.owner, 'expires_at', d.last_day, 'decided_at', d.decided_at,
  'by', (SELECT u.username FROM users u WHERE u.id = d.user_id),
  'dismissed_at', d.ended_at, 'dismissed_by', (SELECT u.username FROM users u WHERE u.id = d.ended_user_id)))
  FROM decisions d WHERE ${isSaidOfFinding})`

/** `not_interesting` without a justification says nothing of being affected. */
export const statedJson = `(SELECT json_object('justification', s.justification, 'note', s.note) FROM decisions s WHERE ${isStatedOfFinding})`
