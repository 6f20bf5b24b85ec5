package dev.weir.adaptive.state;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What became of a file of kept state, when it was read or written.
 *
 * @param file where it is
 * @param event what happened
 * @param detail in words
 * @param cause what was thrown, if anything was
 */
public record SavedStateReport(
        Path file, Event event, String detail, @Nullable Throwable cause) {
    /** What may happen. All but the first two mean that the state was not read, or not written. */
    public enum Event {
        /** Read, whole and sound. */
        RESTORED,
        /** Written. */
        SAVED,
        /** There is no file yet: a first start. */
        ABSENT,
        /** Not as it was written: truncated or altered. */
        DAMAGED,
        /** Written by another version. */
        OTHER_VERSION,
        /** Larger than an eighth of the heap. */
        TOO_LARGE,
        /** Cannot be read, is not a regular file, or its directory is missing. */
        UNREADABLE,
        /** Could not be written; the file is as it was. */
        UNSAVED
    }
}
