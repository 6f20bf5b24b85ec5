/**
 * The controllers of adaptive limits, one class each, for users; {@link dev.weir.adaptive.controller.Crest} is the one to start
 * with.
 */
@NullMarked
package dev.weir.adaptive.controller;

import org.jspecify.annotations.NullMarked;
