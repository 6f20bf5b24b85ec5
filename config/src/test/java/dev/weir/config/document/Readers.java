package dev.weir.config.document;

import dev.weir.config.builtin.Factories;
import dev.weir.config.factory.Factory;
import java.util.ArrayList;
import java.util.List;

/** Readers that know names which a test gives. */
public final class Readers {
    private Readers() {}

    /** A reader that knows the smallest factories and these. */
    public static DocumentReader with(Factory<?>... more) {
        List<Factory<?>> all = new ArrayList<>(TestFactories.all());
        all.addAll(List.of(more));
        return new DocumentReader(Factories.of(all));
    }
}
