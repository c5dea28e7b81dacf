import { Button, Group, Skeleton, Stack, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { findKept, keep } from '../../lib/kept'
import { currentIdentity } from '../../session/session'
import { Loaded } from '../../ui/loaded'
import { CommentItem } from './comment-item'
import { commentsQuery, createCommentMutation } from './api'
import classes from '../vuln-detail.module.css'
import { useReadOnly } from '../../session/known-org'

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
          <Button title={readOnly.title} type="submit" loading={isPending} disabled={!body.trim() || readOnly.disabled}>
            Comment
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
