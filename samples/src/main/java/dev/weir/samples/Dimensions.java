package dev.weir.samples;

import java.util.List;

/** PLACEHOLDER until dev.weir.keyed.Dimensions is there. */
record Dimensions(List<String> values) {
    static Dimensions of(String... values) {
        return new Dimensions(List.of(values));
    }
}
