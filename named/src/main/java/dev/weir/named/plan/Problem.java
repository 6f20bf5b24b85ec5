package dev.weir.named.plan;

/**
 * One error in a document, with all that is needed to mend it.
 *
 * @param document the name of the document
 * @param line counted from 1; 0 = none
 * @param column counted from 1; 0 = none
 * @param limiter the limiter; empty = none
 * @param field the field, with the path within its limiter, such as {@code "queue.max-wait"}; empty = the whole
 * @param rule what must hold, such as {@code "must be >= 1"}; after a semicolon, what may help
 * @param value what was found, shortened and without control characters; empty = nothing
 */
public record Problem(String document, int line, int column, String limiter, String field, String rule, String value) {
    /** One line: {@code "limits.yaml:7:12: checkout: concurrency must be >= 1, was 0"}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(document);
        if (line > 0) {
            text.append(':').append(line).append(':').append(column);
        }
        text.append(": ");
        if (!limiter.isEmpty()) {
            text.append(limiter).append(": ");
        }
        if (!field.isEmpty()) {
            text.append(field).append(' ');
        }
        int advice = rule.indexOf("; ");
        int end = advice < 0 ? rule.length() : advice;
        text.append(rule, 0, end);
        if (!value.isEmpty()) {
            text.append(", was ").append(value);
        }
        return text.append(rule, end, rule.length()).toString();
    }
}
