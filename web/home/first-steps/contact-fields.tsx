import { Button, CloseButton, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'

type Props = { form: UseFormReturnType<{ emails: string[] }>; max: number }

export function ContactFields({ form, max }: Props) {
  const { emails } = form.values
  return (
    <>
      <Stack gap="xs">
        {emails.map((_, index) => (
          <TextInput
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            label={`Contact e-mail ${index + 1}`}
            type="email"
            maxLength={254}
            rightSection={
              <CloseButton
                size="sm"
                aria-label={`Remove contact e-mail ${index + 1}`}
                onClick={() => form.removeListItem('emails', index)}
              />
            }
            {...form.getInputProps(`emails.${index}`)}
          />
        ))}
      </Stack>
      {emails.length < max && (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('emails', '')}
          >
            Add an address
          </Button>
        </div>
      )}
    </>
  )
}
