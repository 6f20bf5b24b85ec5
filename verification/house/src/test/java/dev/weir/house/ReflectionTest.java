package dev.weir.house;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A public type inherits no method of Weir from a type that is not public: {@code invoke} throws there. */
@Tag("house")
class ReflectionTest {
    @ParameterizedTest
    @EnumSource
    void everyMethodCanBeCalled(Products module) {
        List<String> hidden = ExportedTypes.of(module)
                .flatMap(type -> Arrays.stream(type.getMethods())
                        .filter(method -> !ExportedTypes.isVisible(method.getDeclaringClass()))
                        .filter(method -> method.getDeclaringClass().getName().startsWith("dev.weir."))
                        .map(method -> type.getName() + " inherits " + method))
                .toList();
        assertEquals(List.of(), hidden);
    }
}
