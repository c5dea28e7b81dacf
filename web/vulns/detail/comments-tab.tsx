import { Button, Group, Skeleton, Stack, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Comment } from '../../../worker/triage/contract'
import { findKept, keep } from '../../lib/kept'
import { currentIdentity } from '../../session/session'
import { Loaded } from '../../ui/loaded'
import { commentsQuery, createCommentMutation, removeCommentMutation, updateCommentMutation } from './api'
import classes from '../vuln-detail.module.css'
import { useReadOnly } from '../../session/known-org'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { Timestamp, Dated } from '../../ui/timestamp'
import { LinkedText } from './linked-text'
import { WriteButton } from '../../session/write-button'

const waiting = (
  <Stack gap="md" aria-busy maw={760}>
    <Skeleton height={64} />
    <Skeleton height={64} />
  </Stack>
)

export const CommentsTab = ({ id }: { id: number }) => (
  <Loaded query={useQuery(commentsQuery(id))} failed="unable to get comment" waiting={waiting}>
    {({ count, results }) => (
      <Stack gap="md" maw={760}>
        {count === 0 && <p className={classes.note}>No comments in your organization yet.</p>}
        <ol className={classes.comments}>
          {results.map((comment) => (
            <CommentItem key={comment.id} id={id} comment={comment} />
          ))}
        </ol>
        <NewComment id={id} />
      </Stack>
    )}
  </Loaded>
)

/** A draft stays in this tab until it is posted, also where the session ends meanwhile. */
function NewComment({ id }: { id: number }) {
  const readOnly = useReadOnly()
  const draft = `comment on ${id} by ${currentIdentity()}`
  const [body, setBody] = useState(() => findKept(draft, 'tab') ?? '')
  const { isPending, mutate } = useMutation(createCommentMutation)
  const write = (text: string) => {
    setBody(text)
    keep(draft, text || null, 'tab')
  }
  const post = () => {
    if (body.trim() && !isPending) mutate({ id, body }, { onSuccess: () => write('') })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        post()
      }}
    >
      <Stack gap="xs">
        <Textarea
          label="Your comment"
          description="Everybody in your organization can read it. Ctrl+Enter posts it."
          autosize
          minRows={3}
          maxRows={14}
          maxLength={10_000}
          value={body}
          onChange={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && post()}
        />
        <Group justify="flex-end">
          <Button
            variant="filled"
            title={readOnly.title}
            type="submit"
            loading={isPending}
            disabled={!body.trim() || readOnly.disabled}
          >
            Comment
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Props = { id: number; comment: Comment }

function CommentItem({ id, comment }: Props) {
  const [isEditing, setEditing] = useState(false)
  const { author, body, created_at, updated_at, is_own } = comment
  return (
    <li className={classes.comment}>
      <div className={classes.commentHead}>
        <b>{author?.name ?? 'A former user'}</b>
        <span className={classes.quiet}>
          <Timestamp at={created_at} withTime />
          <Dated words=", edited" at={updated_at} withTime />
        </span>
        {is_own && !isEditing && <OwnActions id={id} comment={comment} onEdit={() => setEditing(true)} />}
      </div>
      {isEditing ? (
        <Editor id={id} comment={comment} onDone={() => setEditing(false)} />
      ) : (
        <p className={classes.commentBody}>
          <LinkedText text={body} />
        </p>
      )}
    </li>
  )
}

function OwnActions({ id, comment, onEdit }: Props & { onEdit: () => void }) {
  return (
    <Group gap={4} ml="auto">
      <WriteButton size="compact-xs" variant="subtle" onClick={onEdit}>
        Edit
      </WriteButton>
      <ConfirmButton
        label="Delete"
        look={{ size: 'compact-xs', variant: 'subtle', color: 'red.9', c: 'var(--alarm)' }}
        title="Delete the comment"
        action="Delete"
        change={removeCommentMutation}
        given={{ id, comment_id: comment.id }}
      >
        It cannot be brought back.
      </ConfirmButton>
    </Group>
  )
}

function Editor({ id, comment, onDone }: Props & { onDone: () => void }) {
  const [body, setBody] = useState(comment.body)
  const { isPending, mutate } = useMutation(updateCommentMutation)
  const save = () => mutate({ id, comment_id: comment.id, body, updated_at: comment.updated_at }, { onSuccess: onDone })
  return (
    <Stack gap="xs" mt={6}>
      <Textarea
        aria-label="Edit your comment"
        autosize
        minRows={2}
        maxRows={14}
        maxLength={10_000}
        autoFocus
        value={body}
        onChange={({ currentTarget }) => setBody(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && onDone()}
      />
      <Group justify="flex-end">
        <Button size="xs" onClick={onDone}>
          Cancel
        </Button>
        <Button variant="filled" size="xs" loading={isPending} disabled={!body.trim()} onClick={save}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}
