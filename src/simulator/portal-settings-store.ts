/** What was written to each device through the portal's form of the settings. */
export class PortalSettingsStore {
  readonly #written = new Map<string, Map<string, string>>();

  written(deviceId: string, key: string): string | undefined {
    return this.#written.get(deviceId)?.get(key);
  }

  write(deviceId: string, key: string, value: string): void {
    const settings = this.#written.get(deviceId) ?? new Map<string, string>();
    this.#written.set(deviceId, settings.set(key, value));
  }
}
