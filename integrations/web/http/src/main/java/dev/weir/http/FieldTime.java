package dev.weir.http;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The forms in which servers write a time in a field. All read strictly: null for everything else. */
final class FieldTime {
    /** A number from here on is seconds since 1970, in 2001 or later: as a time to wait it would be 31 years. */
    private static final long EPOCH_SECONDS = 1_000_000_000L;

    /** A number from here on is milliseconds since 1970. */
    private static final long EPOCH_MILLIS = 1_000_000_000_000L;

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,64}");
    private static final Pattern JOINT = Pattern.compile("[ \t]*,[ \t]*");
    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,15})(?:\\.([0-9]{1,9}))?");
    private static final Pattern HOURS_TO_SECONDS =
            Pattern.compile("(?=[0-9])(?:[0-9]{1,9}h)?(?:[0-9]{1,9}m)?(?:[0-9]{1,9}(?:\\.[0-9]{1,9})?s)?");
    private static final Pattern BELOW_A_SECOND = Pattern.compile("([0-9]{1,9})(?:\\.([0-9]{1,9}))?(ms|us|\u00b5s|ns)");

    /** The three forms of a date in HTTP: a recipient has to accept all of them. */
    private static final List<DateTimeFormatter> HTTP_DATES = List.of(
            strict(new DateTimeFormatterBuilder().appendPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'")),
            strict(new DateTimeFormatterBuilder()
                    .appendPattern("EEEE, dd-MMM-")
                    .appendValueReduced(ChronoField.YEAR, 2, 2, LocalDate.of(1980, 1, 1))
                    .appendPattern(" HH:mm:ss 'GMT'")),
            strict(new DateTimeFormatterBuilder()
                    .appendPattern("EEE MMM ")
                    .padNext(2)
                    .appendPattern("d HH:mm:ss uuuu")));

    private FieldTime() {}

    private static DateTimeFormatter strict(DateTimeFormatterBuilder form) {
        return form.toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT)
                .withZone(ZoneOffset.UTC);
    }

    /** {@code Retry-After}: seconds or a date. Of two fields, joined by a comma, the later time. */
    static @Nullable Duration retryAfter(String text, Instant now) {
        Duration only = secondsOrDate(text, now);
        // A date contains a comma, too, so the joint is one of the first two.
        Matcher joint = JOINT.matcher(text);
        for (int i = 0; i < 2 && only == null && joint.find(); i++) {
            Duration first = secondsOrDate(text.substring(0, joint.start()), now);
            Duration second = first == null ? null : secondsOrDate(text.substring(joint.end()), now);
            if (first != null && second != null) {
                return first.compareTo(second) > 0 ? first : second;
            }
        }
        return only;
    }

    private static @Nullable Duration secondsOrDate(String text, Instant now) {
        if (DIGITS.matcher(text).matches()) {
            String digits = text.replaceFirst("^0+(?=.)", "");
            return Duration.ofSeconds(digits.length() > 15 ? Long.MAX_VALUE : Long.parseLong(digits));
        }
        Instant then = httpDate(text);
        return then == null ? null : Duration.between(now, then);
    }

    /** {@code retry-after-ms}. */
    static @Nullable Duration millis(String text) {
        Matcher number = NUMBER.matcher(text);
        return number.matches() ? seconds(number).dividedBy(1000) : null;
    }

    /**
     * The reset of a limit: seconds, {@code 6m0s}, {@code 17ms}, seconds or milliseconds since 1970, or a date of RFC 3339.
     * In the past, the result is negative.
     */
    static @Nullable Duration reset(String text, Instant now) {
        Matcher number = NUMBER.matcher(text);
        if (number.matches()) {
            Duration told = seconds(number);
            if (told.toSeconds() < EPOCH_SECONDS) {
                return told;
            }
            Duration since = told.toSeconds() < EPOCH_MILLIS ? told : told.dividedBy(1000);
            return since.minusSeconds(now.getEpochSecond()).minusNanos(now.getNano());
        }
        Duration told = duration(text);
        if (told != null) {
            return told;
        }
        try {
            return Duration.between(now, OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static @Nullable Duration duration(String text) {
        if (HOURS_TO_SECONDS.matcher(text).matches()) {
            return Duration.parse("PT" + text);
        }
        Matcher small = BELOW_A_SECOND.matcher(text);
        if (!small.matches()) {
            return null;
        }
        return seconds(small)
                .dividedBy(
                        switch (small.group(3)) {
                            case "ms" -> 1_000;
                            case "ns" -> 1_000_000_000;
                            default -> 1_000_000;
                        });
    }

    static @Nullable Instant httpDate(String text) {
        for (DateTimeFormatter form : HTTP_DATES) {
            try {
                return form.parse(text, Instant::from);
            } catch (DateTimeException e) {
                // of another form
            }
        }
        return null;
    }

    private static Duration seconds(Matcher number) {
        String fraction = number.group(2);
        long nanos = fraction == null ? 0 : Long.parseLong((fraction + "00000000").substring(0, 9));
        return Duration.ofSeconds(Long.parseLong(number.group(1)), nanos);
    }
}
