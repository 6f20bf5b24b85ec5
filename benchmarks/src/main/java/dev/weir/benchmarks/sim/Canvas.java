package dev.weir.benchmarks.sim;

/** A surface to draw a chart on; units are pixels from the upper left, colours 0xRRGGBB. */
interface Canvas {
    /** Where a text stands to its point, which is on its baseline. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** The style of a line. */
    record Pen(int colour, double width, boolean dashed) {}

    void line(double fromX, double fromY, double toX, double toY, Pen pen);

    void polyline(double[] xs, double[] ys, Pen pen);

    void text(double x, double y, String text, int size, boolean bold, Anchor anchor);
}
