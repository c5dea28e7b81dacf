/** The tests in the browser run both commands as they stand here. */
export const writeCurl = (origin: string) => `curl --fail-with-body -X PUT \\
  -H "Authorization: Token $EARSHOT_TOKEN" \\
  --data-binary @bom.json \\
  ${origin}/api/inventories/my-service`

export const writeWorkflow = (origin: string) => `# .github/workflows/earshot.yml
name: Earshot
on: { push: { branches: [main] } }
jobs:
  inventory:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@v4
      - run: npm sbom --package-lock-only --sbom-format cyclonedx | gzip > bom.json.gz
      - run: >-
          curl --fail-with-body -X PUT
          -H "Authorization: Token $EARSHOT_TOKEN"
          --data-binary @bom.json.gz
          ${origin}/api/inventories/\${{ github.event.repository.name }}
        env:
          EARSHOT_TOKEN: \${{ secrets.EARSHOT_TOKEN }}`
