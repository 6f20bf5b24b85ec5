/**
 * Runnable samples, one idea each; every header says what the sample prints. To run one, after {@code mvn package}:
 *
 * <pre>{@code java -cp 'samples/target/classes:samples/target/lib/*' dev.weir.samples.S02_RateLimiterInFiveLines}</pre>
 */
@NullMarked
package dev.weir.samples;

import org.jspecify.annotations.NullMarked;
