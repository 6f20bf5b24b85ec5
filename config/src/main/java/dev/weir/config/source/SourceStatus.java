package dev.weir.config.source;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a source, for meters.
 *
 * @param name where the document is, without passwords
 * @param up whether the source can be read; false until it was read once
 * @param inState how long it has been up or not
 * @param readingAge how long ago it was last read; null if never
 * @param failures how many calls to it failed or took too long since it was opened
 */
public record SourceStatus(
        String name, boolean up, Duration inState, @Nullable Duration readingAge, long failures) {}
