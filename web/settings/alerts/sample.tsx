import { Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { alertRules, ruleNames } from '../../../worker/domain/alerts/alert-rules'
import type { AlertRule, ChannelName, RouteName } from '../../../worker/domain/alerts/alert-rules'
import classes from './alerting.module.css'
import { previewMutation, sampleMutation } from './api'
import { WriteButton } from '../../session/write-button'

/** Kinds where a sample would stay as a case that somebody has to close. */
const caseKinds: ChannelName[] = ['thehive', 'misp', 'pagerduty', 'jira']

/** With `route`, the message can be sent there. */
type Props = { kind: ChannelName; template?: string; route?: RouteName | undefined }

/** How an alert of each kind looks at a receiver, of the organization's own data. */
export function Sample({ kind, template, route }: Props) {
  const preview = useMutation(previewMutation)
  const sending = useMutation(sampleMutation)
  const [rule, setRule] = useState<AlertRule | ''>('')
  const wanted = rule === '' ? {} : { rule }
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <NativeSelect
          size="xs"
          label="See an alert of the kind"
          data={[
            { value: '', label: 'The newest' },
            ...alertRules.map((value) => ({ value, label: ruleNames[value] })),
          ]}
          value={rule}
          onChange={({ currentTarget: { value } }) => setRule(alertRules.find((one) => one === value) ?? '')}
        />
        <WriteButton
          size="xs"
          loading={preview.isPending}
          onClick={() => preview.mutate({ kind, ...wanted, ...(kind === 'json' && { template: template ?? '' }) })}
        >
          Show what would be sent
        </WriteButton>
        {route && rule && !caseKinds.includes(kind) && (
          <WriteButton size="xs" loading={sending.isPending} onClick={() => sending.mutate({ route, rule })}>
            Send it as a sample
          </WriteButton>
        )}
      </Group>
      {preview.data && (
        <>
          {preview.data.is_invented && (
            <Text size="sm" c="dimmed">
              Nothing of this kind happened yet: this shows {preview.data.vuln.name} as if it had.
            </Text>
          )}
          <MessageText label={preview.data.subject ?? `Of ${preview.data.vuln.name}`} text={preview.data.text} />
        </>
      )}
    </Stack>
  )
}

type TextProps = { label: string; description?: string; text: string }

export const MessageText = ({ text, ...labels }: TextProps) => (
  <Textarea
    value={text}
    readOnly
    classNames={{ input: classes.template }}
    autosize
    minRows={4}
    maxRows={14}
    {...labels}
  />
)
