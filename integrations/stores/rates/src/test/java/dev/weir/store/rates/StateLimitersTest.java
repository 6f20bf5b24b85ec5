package dev.weir.store.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.keyed.Dimensions;
import dev.weir.keyed.KeyValues;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StateLimitersTest {
    @Test
    void eachKeyHasATextOfItsOwn() {
        List<Object> keys = Arrays.asList(
                null,
                "",
                "a",
                "a|b",
                "i:7|",
                7,
                7L,
                'a',
                true,
                TimeUnit.DAYS,
                KeyValues.of("a"),
                KeyValues.of("a", "b"),
                KeyValues.of("a|b"),
                KeyValues.of("a%7Cb"),
                KeyValues.of("a", ""),
                KeyValues.of("", "a"),
                Dimensions.of("a", "b"),
                Dimensions.of("a", "b", "c", "d"));
        Set<String> texts = keys.stream().map(StateLimiters::text).collect(Collectors.toSet());
        assertEquals(keys.size(), texts.size(), texts::toString);
    }

    @Test
    void aKeyWhoseTextDiffersBetweenProcessesHasNone() {
        assertNull(StateLimiters.text(new Object()));
    }
}
