import { IconFileImport } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { proposeVexMutation } from './api'
import { WriteButton } from '../session/write-button'

export function VexButton({ name }: { name: string }) {
  const input = useRef<HTMLInputElement>(null)
  const { isPending, mutate } = useMutation(proposeVexMutation)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="VEX document"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file) mutate({ name, file })
          currentTarget.value = ''
        }}
      />
      <WriteButton
        loading={isPending}
        leftSection={<IconFileImport size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        Read VEX
      </WriteButton>
    </>
  )
}
