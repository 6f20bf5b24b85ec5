package dev.weir.benchmarks.sim;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.stream.Collectors;

/** JSON read strictly: what is doubtful is refused, with its line and column. */
final class Json {
    private static final int DEPTH = 32;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH)
                            .build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    private Json() {}

    /**
     * Reads one value: a record by the names of its components, or {@code Object}, {@code Map} and the like. A name
     * that the record has not, a component of primitive type that is missing, a name said twice, and anything after the
     * value are refused; a missing component of another type is null.
     *
     * @throws IllegalArgumentException saying what and where
     */
    static <T> T read(String text, Class<T> type) {
        try {
            T value = MAPPER.readValue(text, type);
            if (value == null) {
                throw new IllegalArgumentException("JSON must be a value, was null");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "JSON must be valid, was not at " + place(e) + ": " + e.getOriginalMessage(), e);
        }
    }

    private static String place(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        String place = at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
        if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            place += mapping.getPath().stream()
                    .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
                    .collect(Collectors.joining(".", " (", ")"));
        }
        return place;
    }

    static String quoted(String text) {
        return '"' + String.valueOf(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }
}
