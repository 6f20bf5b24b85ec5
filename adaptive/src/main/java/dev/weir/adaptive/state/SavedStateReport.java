package dev.weir.adaptive.state;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading or writing a file of saved state.
 *
 * @param file the file
 * @param event the result
 * @param detail in words, such as the number of limiters or the reason of a failure
 * @param cause the exception, if there was one
 */
public record SavedStateReport(
        Path file, Event event, String detail, @Nullable Throwable cause) {
    /** The result of reading or writing. All but the first two mean that the state was not read or not written. */
    public enum Event {
        /** Read, with the right checksum. */
        RESTORED,
        /** Written. */
        SAVED,
        /** There is no file yet, as at a first start. */
        ABSENT,
        /** The file is not as it was written: truncated or changed. */
        DAMAGED,
        /** Written in another version of the format. */
        OTHER_VERSION,
        /** Larger than an eighth of the heap. */
        TOO_LARGE,
        /** The file cannot be read or is not a regular file, or its directory is missing. */
        UNREADABLE,
        /** The file could not be written, and is as it was. */
        UNSAVED
    }
}
